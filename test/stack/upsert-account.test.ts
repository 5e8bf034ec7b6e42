import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client } from 'pg';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountStores, upsertAccount } from '../../scripts/accounts/upsert-account.ts';
import type { HttpService } from '../../scripts/stack/http-service.ts';
import { applyMigrations } from '../../scripts/stack/migrations.ts';
import { type Postgres, startPostgres } from '../../scripts/stack/postgres.ts';
import { startSecretsStore } from '../../scripts/stack/secrets-store.ts';

const region = 'eu-west-3';
const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'secret' };

let directory: string;
let postgres: Postgres;
let secrets: HttpService;
let stores: AccountStores;
let database: Client;
let aws: SecretsManagerClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'upsert-account-'));
  postgres = await startPostgres({ directory: join(directory, 'postgres'), password: 'password' });
  secrets = await startSecretsStore({ file: join(directory, 'secrets.json'), region, credentials });
  await applyMigrations(postgres.url);
  database = new Client({ connectionString: postgres.url });
  await database.connect();
  aws = new SecretsManagerClient({ endpoint: secrets.url, region, credentials });
  stores = {
    databaseUrl: postgres.url,
    environment: 'prod',
    secrets: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      SECRETS_ENDPOINT: secrets.url,
    },
  };
});

afterAll(async () => {
  aws.destroy();
  await database.end();
  await secrets.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const rowOf = async (corporateId: string) =>
  (await database.query('SELECT * FROM corporate_accounts WHERE corporate_id = $1', [corporateId])).rows[0] as
    | Record<string, unknown>
    | undefined;

it('makes an account whose wallet is the one in the secrets store', async () => {
  const account = await upsertAccount({ name: 'Acme' }, stores);
  expect(account.corporateId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(account.secretManagerKeyId).toBe(`/dapp/prod/corp/${account.corporateId}/wallet`);
  expect(Buffer.from(account.webhookSecret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  const { SecretString = '' } = await aws.send(new GetSecretValueCommand({ SecretId: account.secretManagerKeyId }));
  const { privateKey } = JSON.parse(SecretString) as { privateKey: `0x${string}` };
  expect(privateKeyToAddress(privateKey)).toBe(account.walletAddress);
  expect(await rowOf(account.corporateId)).toMatchObject({
    id: account._id,
    corporate_name: 'Acme',
    wallet_link_type: 'DEDICATED',
    status: 'ACTIVE',
    metadata: {},
    webhook_url: null,
  });
});

it('asked again, changes what is named and nothing else', async () => {
  const corporateId = 'changed';
  const account = await upsertAccount({ name: 'Before', corporateId, webhookUrl: 'https://one.example' }, stores);
  const before = await rowOf(corporateId);
  const secretsBefore = await readFile(join(directory, 'secrets.json'), 'utf8');

  expect(await upsertAccount({ name: 'After', corporateId }, stores)).toEqual(account);
  expect(await rowOf(corporateId)).toEqual({ ...before, corporate_name: 'After', updated_at: expect.any(Date) });
  expect(await upsertAccount({ corporateId, webhookUrl: 'https://two.example' }, stores)).toEqual(account);
  expect(await rowOf(corporateId)).toEqual({
    ...before,
    corporate_name: 'After',
    webhook_url: 'https://two.example',
    updated_at: expect.any(Date),
  });
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).toBe(secretsBefore);
});

it('uses the wallet of an earlier run that ended before the account was written', async () => {
  const corporateId = 'crashed';
  const lost = await upsertAccount({ name: 'Crashed', corporateId }, stores);
  await database.query('DELETE FROM corporate_accounts WHERE corporate_id = $1', [corporateId]);
  const healed = await upsertAccount({ name: 'Crashed', corporateId }, stores);
  expect(healed.walletAddress).toBe(lost.walletAddress);
});

it('makes one account and one wallet when asked several times at once', async () => {
  const corporateId = 'at-once';
  const accounts = await Promise.all(
    Array.from({ length: 8 }, () => upsertAccount({ name: 'At once', corporateId }, stores)),
  );
  expect(new Set(accounts.map((account) => JSON.stringify(account))).size).toBe(1);
});

it('needs a name for a new account, and leaves no secret behind without one', async () => {
  await expect(upsertAccount({ corporateId: 'nameless' }, stores)).rejects.toThrow('needs a name');
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).not.toContain('nameless');
});

it('says what the secrets store refused, and writes no account then', async () => {
  const wrong = { ...stores, secrets: { ...stores.secrets, AWS_SECRET_ACCESS_KEY: 'wrong' } };
  await expect(upsertAccount({ name: 'Refused', corporateId: 'refused' }, wrong)).rejects.toThrow(
    'InvalidSignatureException',
  );
  expect(await rowOf('refused')).toBeUndefined();
});
