import { afterAll, beforeAll, expect, it } from 'vitest';
import { decryptWebhookSecret, encryptWebhookSecret, newWebhookSecret } from '../../src/accounts/webhook-secret.ts';
import { newId } from '../../src/core/record-id.ts';
import { createEncryption, type Encryption, type EncryptionKey } from '../../src/platform/encryption.ts';
import { encryptSecrets } from '../../src/webhooks/encrypt-again.ts';
import { startWorld, type World } from './lane-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('webhook.secret_unreadable');

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.pool.query('delete from webhook_endpoints');
});
afterAll(() => world.stop());

const keyOf = (id: string, byte: number) => ({ id, bytes: new Uint8Array(32).fill(byte) });
const [old, fresh, gone] = [keyOf('old', 1), keyOf('fresh', 2), keyOf('gone', 3)];

async function insert(
  key: EncryptionKey,
  secret: string,
  { previous = null, expiry = '1 hour' }: { previous?: string | null; expiry?: string } = {},
) {
  const id = newId();
  const stored = (text: string) => encryptWebhookSecret(createEncryption([key]), id, text);
  await world.pool.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, url, secret_id, secret, secret_previous, secret_previous_expires_at)
     values ($1, $2, 'account', 'https://hooks.example', $1, $3, $4, now() + $5::interval)`,
    [id, world.accountId, await stored(secret), previous && (await stored(previous)), expiry],
  );
  return id;
}

const rowOf = async (id: string) =>
  (await world.pool.query('select secret, secret_previous from webhook_endpoints where id = $1', [id])).rows[0];

function run(encryption: Encryption) {
  const driver = world.driver();
  return encryptSecrets({ ...driver.services, encryption }, new Date());
}

it('stored secrets are encrypted with the newest key; what has expired is deleted', async () => {
  const secrets = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret(), newWebhookSecret()] as const;
  const rotated = await insert(old, secrets[0], { previous: secrets[1] });
  const former = await insert(old, secrets[2]);
  const expired = await insert(fresh, secrets[3], { previous: secrets[0], expiry: '-1 second' });
  const lost = await insert(gone, secrets[3]);
  const lostBefore = await rowOf(lost);

  const encryption = createEncryption([fresh, old]);
  expect(await run(encryption)).toEqual({ changed: 2, left: 1 });
  for (const [id, secret, previous] of [
    [rotated, secrets[0], secrets[1]],
    [former, secrets[2], null],
    [expired, secrets[3], null],
  ] as const) {
    const row = await rowOf(id);
    expect(row.secret).toMatch(/^fresh\./);
    expect(await decryptWebhookSecret(encryption, id, row.secret)).toBe(secret);
    const kept = row.secret_previous;
    expect(kept && (await decryptWebhookSecret(encryption, id, kept))).toBe(previous);
  }
  // What cannot be read stays as it is, for the day its key is back.
  expect(await rowOf(lost)).toEqual(lostBefore);
  expect(await run(encryption)).toEqual({ changed: 0, left: 1 });
  expect(await run(createEncryption([fresh, gone]))).toEqual({ changed: 1, left: 0 });
});
