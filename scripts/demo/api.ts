import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { StackInfo } from '../../cli/local-stack/stack-files.ts';

const TIMEOUT_MS = 60_000;

const record = z.record(z.string(), z.unknown());
export type Resource = z.output<typeof record>;

/** An API client, as a partner would write it. */
export interface Api {
  /** @throws with the response body when the status is not 2xx. */
  post(path: string, body: object): Promise<Resource>;
  /** Calls a view function of a contract. */
  read(body: object): Promise<unknown>;
  /** Polls a resource until it has succeeded. @throws when it fails or takes longer than a minute. */
  result(path: string): Promise<Resource>;
  /** Reads a public URL, without credentials. */
  publicText(url: string): Promise<string>;
}

export function connectApi({
  baseUrl,
  apiKey,
  corporateId,
}: Pick<StackInfo, 'baseUrl' | 'apiKey' | 'corporateId'>): Api {
  const headers = { 'x-api-key': apiKey, 'x-corporate-id': corporateId, 'content-type': 'application/json' };
  const request = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} returned ${reply.status}: ${text}`);
    const json: unknown = JSON.parse(text);
    return json;
  };
  return {
    post: async (path, body) => record.parse(await request('POST', path, body)),
    read: (body) => request('POST', '/contracts/read', body),
    async result(path) {
      const deadline = Date.now() + TIMEOUT_MS;
      for (;;) {
        const resource = record.parse(await request('GET', path));
        const { status } = resource;
        if (status === 'CONFIRMED' || status === 'ACTIVE') return resource;
        if (status === 'FAILED') throw new Error(`${path} FAILED: ${String(resource['errorMessage'])}`);
        if (Date.now() > deadline) throw new Error(`${path} is still ${String(status)} after a minute`);
        await delay(100);
      }
    },
    async publicText(url) {
      const reply = await fetch(url);
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${url} returned ${reply.status}: ${text}`);
      return text;
    },
  };
}
