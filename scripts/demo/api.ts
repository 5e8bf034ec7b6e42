import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { StackInfo } from '../../stack/stack-files.ts';

const RESULT_WITHIN_MS = 60_000;

const record = z.record(z.string(), z.unknown());
export type Resource = z.output<typeof record>;

/** The calls of the API that the demo makes, as a partner would make them. */
export interface Api {
  /** @throws when the answer is not 2xx, with what the service said. */
  post(path: string, body: object): Promise<Resource>;
  /** A POST whose answer is a bare value. */
  read(body: object): Promise<unknown>;
  /** Polls a resource until it has succeeded. @throws when it has failed, or nothing happens for long. */
  result(path: string): Promise<Resource>;
  /** An address of the public, without keys. */
  publicText(url: string): Promise<string>;
}

export function connectApi({ baseUrl, apiKey, corporateId }: StackInfo): Api {
  const headers = { 'x-api-key': apiKey, 'x-corporate-id': corporateId, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path} was answered with ${reply.status}: ${text}`);
    const json: unknown = JSON.parse(text);
    return json;
  };
  return {
    post: async (path, body) => record.parse(await ask('POST', path, body)),
    read: (body) => ask('POST', '/contracts/read', body),
    async result(path) {
      const deadline = Date.now() + RESULT_WITHIN_MS;
      for (;;) {
        const resource = record.parse(await ask('GET', path));
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
      if (!reply.ok) throw new Error(`${url} was answered with ${reply.status}: ${text}`);
      return text;
    },
  };
}
