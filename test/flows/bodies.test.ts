import { beforeAll, describe, expect, it } from 'vitest';
import { call, newClient, stack, type Client } from '../fixtures/client.ts';
import { flexibleInput } from '../fixtures/metadata-inputs.ts';

let client: Client;
const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';

beforeAll(async () => {
  client = await newClient();
});

describe('an error', () => {
  it('for a body that is too long or is not UTF-8, on every route that has one', async () => {
    const { body: document } = await call('/openapi.json');
    const withBody = Object.entries<Record<string, { requestBody?: { content: object } }>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, { requestBody }]) => requestBody !== undefined && 'application/json' in requestBody.content)
          .map(([method]) => ({
            method: method.toUpperCase(),
            path: path.replace('{id}', '0'.repeat(24)).replace('{corporateId}', client.account.corporateId),
          })),
    );
    expect(new Set(withBody.map(({ method }) => method))).toEqual(new Set(['POST', 'PUT', 'PATCH']));
    const headers = {
      'x-api-key': apiKey,
      // For the routes that take no global API key.
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
      'content-type': 'application/json',
    };
    for (const { method, path } of withBody) {
      const long = JSON.stringify({ name: 'x'.repeat(600_000) });
      const tooLong = await call(path, { method, headers, body: long });
      const notUtf8 = await call(path, { method, headers, body: new Uint8Array([0x22, 0xff, 0x22]) });
      expect([method, path, tooLong.status, notUtf8.status]).toEqual([method, path, 413, 400]);
      expect(notUtf8.body.message).toBe('The body is not valid UTF-8');
    }
  });
});

describe('an unknown name', () => {
  it('in the body of a request that has none is 400, by each such route; so is what is no JSON', async () => {
    const { body: document } = await call('/openapi.json');
    const paths = Object.entries<Record<string, { requestBody?: object }>>(document.paths);
    const bodiless = paths.flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody }]) =>
        method === 'get' || requestBody !== undefined ? [] : [`${method.toUpperCase()} ${path}`],
      ),
    );
    expect(bodiless).toEqual(expect.arrayContaining(['DELETE /keys/{id}', 'POST /admin/chains/{chainId}/pause']));
    const headers = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
    };
    for (const route of bodiless) {
      const [method = '', path = ''] = route.split(' ');
      const url = path.replace('{id}', '0'.repeat(24)).replace('{chainId}', '999').replace('{corporateId}', 'nobody');
      const send = async (body: string) => {
        const reply = await call(url, { method, headers, body });
        return [route, reply.status, reply.body.errors ?? reply.body.code];
      };
      const unknown = { path: 'until', code: 'unknown_field', message: 'Unknown field until' };
      expect(await send('{"until":"2027"}')).toEqual([route, 400, [unknown]]);
      expect(await send('{')).toEqual([route, 400, 'malformed_body']);
      for (const nothing of ['', '{}']) expect(await send(nothing)).toEqual([route, 404, 'not_found']);
    }
  });
});

describe('metadata with more issues than fit in a reply', () => {
  it('is 400 with a bounded reply, also when repeated with an Idempotency-Key, and the service keeps running', async () => {
    const bottom: unknown = Array.from({ length: 10_000 }, () => '\0');
    const data = Array.from({ length: 50 }).reduce((inner) => ({ ['k'.repeat(250)]: inner }), bottom);
    const bomb = { ...flexibleInput, utility: { type: 'Flexible', data } };
    const flood = { ...flexibleInput, ...Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`key${i}`, 1])) };
    for (const [index, body] of [bomb, flood].entries()) {
      const headers = { 'idempotency-key': `many-issues-${index}` };
      const replies = [await client.post('/metadata', body, headers), await client.post('/metadata', body, headers)];
      expect(replies[1]?.body.errors).toEqual(replies[0]?.body.errors);
      for (const reply of replies) {
        expect([reply.status, reply.body.message]).toEqual([400, 'Metadata validation failed']);
        expect(JSON.stringify(reply.body).length).toBeLessThan(600 * 1_024);
      }
    }
    expect((await client.post('/metadata', flexibleInput)).status).toBe(201);
  });
});
