import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEncryption } from '../../src/platform/encryption.ts';
import { encryptReplies } from '../../src/webhooks/encrypt-again.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { storeReply } from '../../src/platform/database/idempotency-keys.ts';
import { startWorld, type World } from './lane-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('webhook.reply_unreadable');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const keyOf = (id: string, byte: number) => ({ id, bytes: new Uint8Array(32).fill(byte) });
const [old, fresh, gone] = [keyOf('old', 1), keyOf('fresh', 2), keyOf('gone', 3)];

const insert = (holder: string, key: string, body: string) =>
  world.pool.query(
    `insert into idempotency_keys (corporate_account_id, key, request_hash, id_seed, status_code, body, is_encrypted, created_at)
     values ($1, $2, 'hash', 'seed', 201, $3, $4, now())`,
    [holder, key, body, key !== 'plain'],
  );

it('stored replies with a secret are encrypted with the newest key, so that an older one can be removed', async () => {
  const { services } = world.driver().context;
  const account = world.accountId;
  const before = createEncryption([old]);
  await insert(account, 'global', await before.encrypt('1', `idempotency key ${account} global`));
  await insert(`${account}:k`, 'own', await before.encrypt('2', `idempotency key ${account}:k own`));
  await insert(account, 'lost', await createEncryption([gone]).encrypt('3', `idempotency key ${account} lost`));
  await insert(account, 'plain', '{}');

  const encryption = createEncryption([fresh, old]);
  const run = () => encryptReplies({ ...services, encryption });
  expect(await run()).toEqual({ changed: 2, left: 1 });
  const { rows } = await world.pool.query<{ key: string; body: string }>('select key, body from idempotency_keys');
  const bodies = new Map(rows.map(({ key, body }) => [key, body]));
  const read = (key: string, holder: string) =>
    createEncryption([fresh]).decrypt(bodies.get(key) ?? '', `idempotency key ${holder} ${key}`);
  expect(await Promise.all([read('global', account), read('own', `${account}:k`)])).toEqual(['1', '2']);
  expect(bodies.get('plain')).toBe('{}');
  expect(await run()).toEqual({ changed: 0, left: 1 });
});

it('replies that cannot be read, however many, do not keep those after them from being encrypted', async () => {
  const { services } = world.driver().context;
  const encryption = createEncryption([fresh, old]);
  await world.pool.query(
    `insert into idempotency_keys (corporate_account_id, key, request_hash, id_seed, status_code, body, is_encrypted, created_at)
     select $1, 'lost' || n, 'hash', 'seed', 201, 'gone.x', true, now() from generate_series(1, 600) n`,
    [world.accountId],
  );
  const body = await createEncryption([old]).encrypt('4', `idempotency key ${world.accountId} last`);
  await insert(world.accountId, 'last', body);
  expect(await encryptReplies({ ...services, encryption })).toEqual({ changed: 1, left: 601 });
});

it('the reply of an attempt stays when another attempt of the request is refused, whichever is stored first', async () => {
  const { db } = world.driver().context.services;
  const holder = tenantOf(db, world.accountId);
  const store = (key: string, statusCode: number) =>
    storeReply(
      holder,
      { key, requestHash: 'hash', idSeed: 'seed', createdAt: new Date() },
      { statusCode, body: String(statusCode), isEncrypted: false },
    );
  for (const [key, statuses] of [
    ['success first', [201, 409]],
    ['refusal first', [409, 201]],
  ] as const) {
    await world.pool.query(
      `insert into idempotency_keys (corporate_account_id, key, request_hash, id_seed, created_at) values ($1, $2, 'hash', 'seed', now())`,
      [world.accountId, key],
    );
    for (const status of statuses) await store(key, status);
    const { rows } = await world.pool.query('select body from idempotency_keys where key = $1', [key]);
    expect(rows).toEqual([{ body: '201' }]);
  }
});
