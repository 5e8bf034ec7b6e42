import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';

let own: OwnStack;
let corporateId: string;
beforeAll(async () => {
  own = await startOwnStack({});
  ({ corporateId } = await own.createAccount({ name: 'Test' }));
});
afterAll(() => own.stop());

const ask = async (path: string, headers: Record<string, string>, body?: unknown) => {
  const reply = await fetch(`${own.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
};

it('a key of an account is in no log line and in no error reply, wherever a caller puts it', async () => {
  const admin = { 'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId };
  const made = await ask(
    '/keys',
    { ...admin, 'idempotency-key': 'once' },
    { name: 'Test', scopes: ['read', 'metadata'] },
  );
  const { key, id } = JSON.parse(made.text) as { key: string; id: string };
  const headers = { 'x-api-key': key };
  const replies = await Promise.all([
    ask('/contracts', headers),
    ask(`/contracts/${key}`, headers),
    ask(`/nowhere/${key}?key=${key}`, headers),
    ask('/keys', headers, { name: key, scopes: [key] }),
    ask('/contracts', { ...headers, 'x-corporate-id': key }),
    ask('/contracts', { ...headers, 'x-request-id': key.slice(0, 64) }),
    ask('/metadata', headers, { [key]: key, chainId: key }),
    ask('/metadata', { ...headers, 'idempotency-key': `${key} ` }, {}),
    ask('/contracts', { 'x-api-key': `${key}0` }),
    ask(`/metadata/0x${'0'.repeat(40)}/${key}`, {}),
  ]);
  expect(replies[0]?.status).toBe(200);
  const secret = key.slice('key_live_'.length, 50);
  const log = own.log();
  // The log has the id of the key.
  expect(log).toContain(`"keyId":"${id}"`);
  expect(log).not.toContain(secret);
  for (const { status, text } of replies.slice(1)) {
    // The path of an error reply is the caller's own.
    const { path: _, ...reply } = JSON.parse(text) as Record<string, unknown>;
    expect([status, JSON.stringify(reply).includes(secret)]).toEqual([status, false]);
  }
});
