import { vi } from 'vitest';
import { createClient, type ClientOptions } from '../../clients/typescript/src/index.ts';

/** A request that the client has sent. */
interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
}

/** A client of a service that makes these replies, one after the other, the last again and again. */
export function clientOf(
  replies: readonly (() => Response | Promise<Response>)[],
  options: Partial<ClientOptions> = {},
) {
  const received: Received[] = [];
  const nft = createClient({
    baseUrl: 'https://nft.example.com',
    key: 'key_test_secret',
    fetch: async (input, { method = '', headers, body } = {}) => {
      received.push({
        method,
        url: new URL(input instanceof Request ? input.url : input),
        headers: new Headers(headers),
        body,
      });
      const reply = replies[received.length - 1] ?? replies.at(-1);
      if (reply === undefined) throw new Error('No reply');
      return await reply();
    },
    ...options,
  });
  return { nft, received };
}

/** How a call has ended once all waits are over; the timers must be fake. */
export async function ended<Result>(call: Promise<Result>): Promise<Result | Error> {
  const result = call.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  await vi.runAllTimersAsync();
  return await result;
}

export const json =
  (body: unknown, init: ResponseInit = {}) =>
  () =>
    Response.json(body, init);

/** An error in the form of docs/errors.md. */
export function refusal(statusCode: number, code: string, headers: Record<string, string> = {}, more: object = {}) {
  const error = { statusCode, code, message: 'No', timestamp: '', path: '', requestId: 'r1', ...more };
  return json(error, { status: statusCode, headers });
}
