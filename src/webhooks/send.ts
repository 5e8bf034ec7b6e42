import { signatureHeaders } from './signature.ts';
import type { WebhookMessage } from './signature.ts';

/**
 * What came of a POST: the status of the reply, or why there is none. `final` says that another attempt would end the
 * same way.
 */
export type Answer = { readonly final: boolean } & ({ readonly statusCode: number } | { readonly fault: string });

/**
 * Sends a message, signed for this moment. Nothing of the reply but its status is read, and a redirect is not followed:
 * where it leads was never checked.
 * @param target A URL that may be sent to; see `targetFault`.
 * @param timeoutSeconds How long the reply's status may take.
 */
export async function send(target: string, message: WebhookMessage, timeoutSeconds: number): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'nft-issuance-service',
    ...signatureHeaders(message),
  };
  let reply: Response;
  try {
    reply = await fetch(target, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: message.payload,
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    });
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return {
      fault: timedOut ? `No answer within ${timeoutSeconds} seconds` : 'The connection failed',
      final: false,
    };
  }
  // The status is what counts, however the rest of the reply may fare.
  await reply.body?.cancel().catch(() => {});
  // 5xx is worth another attempt; any other refusal, a redirect included, will be the same next time.
  return { statusCode: reply.status, final: reply.status < 500 };
}

export function isDelivered(answer: Answer): boolean {
  return 'statusCode' in answer && answer.statusCode >= 200 && answer.statusCode < 300;
}
