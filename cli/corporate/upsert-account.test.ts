import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client } from 'pg';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountStores, upsertAccount } from './upsert-account.ts';
import type { HttpServer } from '../../stack/http-server.ts';
import { setRelayerWallet } from './set-relayer-wallet.ts';
import { kmsWallet } from './wallet-signer.ts';
import { applyMigrations } from '../migrate/apply-migrations.ts';
import { type Postgres, startPostgres } from '../../stack/postgres/postgres.ts';
import { type Kms, startKms } from '../../stack/stand-ins/kms.ts';
import { startSecretsStore } from '../../stack/stand-ins/secrets-store.ts';

const region = 'eu-west-3';
const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'secret' };

let directory: string;
let postgres: Postgres;
let secrets: HttpServer;
let kms: Kms;
let stores: AccountStores;
let database: Client;
let aws: SecretsManagerClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'upsert-account-'));
  postgres = await startPostgres({ directory: join(directory, 'postgres'), password: 'password' });
  secrets = await startSecretsStore({ file: join(directory, 'secrets.json'), region, credentials });
  kms = await startKms({ file: join(directory, 'kms.json'), region, credentials });
  await applyMigrations(postgres.url);
  database = new Client({ connectionString: postgres.url });
  await database.connect();
  aws = new SecretsManagerClient({ endpoint: secrets.url, region, credentials });
  stores = {
    databaseUrl: postgres.url,
    environment: 'production',
    secrets: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      ENCRYPTION_KEYS: [{ id: 'k', bytes: new Uint8Array(32) }],
      SECRETS_ENDPOINT: secrets.url,
      KMS_ENDPOINT: kms.url,
    },
  };
});

afterAll(async () => {
  aws.destroy();
  await database.end();
  await secrets.stop();
  await kms.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const rowOf = async (corporateId: string) =>
  (
    await database.query(
      `SELECT a.*, p.url AS webhook_url, p.secret FROM corporate_accounts a
       JOIN webhook_endpoints p ON p.corporate_account_id = a.id WHERE corporate_id = $1`,
      [corporateId],
    )
  ).rows[0] as Record<string, unknown> | undefined;

it('creates an account whose wallet key is in the secrets store', async () => {
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

it('stores the webhook secret encrypted for its endpoint', async () => {
  const { corporateId, webhookSecret } = await upsertAccount({ name: 'Acme' }, stores);
  const row = await rowOf(corporateId);
  expect(row?.['secret']).toMatch(/^k\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/=]+$/);
  expect(JSON.stringify(row)).not.toContain(webhookSecret.replace('whsec_', ''));
});

it('updates the given fields of an existing account and nothing else', async () => {
  const corporateId = 'changed';
  const account = await upsertAccount({ name: 'Before', corporateId, webhookUrl: 'https://one.example' }, stores);
  const secretsBefore = await readFile(join(directory, 'secrets.json'), 'utf8');
  const changes = [
    [{ name: 'After' }, { corporate_name: 'After' }],
    [{ webhookUrl: 'https://two.example' }, { webhook_url: 'https://two.example' }],
    [{ status: 'INACTIVE' }, { status: 'INACTIVE' }],
    [{ walletLinkType: 'SHARED' }, { wallet_link_type: 'SHARED' }],
    [{ metadata: { tier: 1 } }, { metadata: { tier: 1 } }],
    [{ metadata: {} }, { metadata: {} }],
    [
      { status: 'ACTIVE', name: 'Both' },
      { status: 'ACTIVE', corporate_name: 'Both' },
    ],
  ] as const;
  for (const [request, columns] of changes) {
    const before = await rowOf(corporateId);
    expect(await upsertAccount({ corporateId, ...request }, stores)).toEqual(account);
    expect(await rowOf(corporateId)).toEqual({ ...before, ...columns, updated_at: expect.any(Date) });
  }
  const before = await rowOf(corporateId);
  expect(await upsertAccount({ corporateId }, stores)).toEqual(account);
  expect(await rowOf(corporateId)).toEqual(before);
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).toBe(secretsBefore);
});

it('creates an account with every given field', async () => {
  const request = {
    status: 'INACTIVE',
    walletLinkType: 'SHARED',
    metadata: { tier: 1 },
    webhookUrl: 'https://a.example',
  } as const;
  const { corporateId } = await upsertAccount({ name: 'Whole', ...request }, stores);
  expect(await rowOf(corporateId)).toMatchObject({
    status: 'INACTIVE',
    wallet_link_type: 'SHARED',
    metadata: { tier: 1 },
    webhook_url: 'https://a.example',
  });
});

it.each([
  ['local', 'dev'],
  ['staging', 'dev'],
  ['production', 'prod'],
] as const)('keeps the keys of %s accounts under /dapp/%s', async (environment, part) => {
  const account = await upsertAccount({ name: 'Acme' }, { ...stores, environment });
  expect(account.secretManagerKeyId).toBe(`/dapp/${part}/corp/${account.corporateId}/wallet`);
});

it('uses the wallet of an earlier run that crashed before the account was stored', async () => {
  const corporateId = 'crashed';
  const lost = await upsertAccount({ name: 'Crashed', corporateId }, stores);
  await database.query('DELETE FROM webhook_endpoints WHERE corporate_account_id = $1', [lost._id]);
  await database.query('DELETE FROM corporate_accounts WHERE corporate_id = $1', [corporateId]);
  const retried = await upsertAccount({ name: 'Crashed', corporateId }, stores);
  expect(retried.walletAddress).toBe(lost.walletAddress);
});

it('creates one account and one wallet under concurrent requests', async () => {
  const corporateId = 'at-once';
  const accounts = await Promise.all(
    Array.from({ length: 8 }, () => upsertAccount({ name: 'At once', corporateId }, stores)),
  );
  expect(new Set(accounts.map((account) => JSON.stringify(account))).size).toBe(1);
});

it('creates an account whose wallet key is in KMS, and no secret', async () => {
  const kmsKey = kms.walletKey('alias/first');
  const account = await upsertAccount({ name: 'In KMS', corporateId: 'in-kms', kmsKey }, stores);
  const { address } = await kmsWallet(stores.secrets, kmsKey);
  expect(account).toMatchObject({ walletAddress: address, secretManagerKeyId: kmsKey });
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).not.toContain('in-kms');
  expect(await upsertAccount({ corporateId: 'in-kms', kmsKey }, stores)).toEqual(account);
});

it('gives an account a key in KMS until it has ordered something, then only one of the same wallet', async () => {
  const [first, second] = [kms.walletKey('alias/third'), kms.walletKey('alias/second')];
  const corporateId = 'changes-key';
  const set = async (kmsKey: string) => (await upsertAccount({ corporateId, kmsKey }, stores)).secretManagerKeyId;
  const account = await upsertAccount({ name: 'Changes key', corporateId }, stores);
  expect(await set(first)).toBe(first);
  expect(await set(second)).toBe(second);
  await database.query(
    `INSERT INTO contracts (id, corporate_account_id, chain_id, erc_standard, status) VALUES ('c', $1, '43114', '721', 'FAILED')`,
    [account._id],
  );
  const before = await rowOf(corporateId);
  await expect(upsertAccount({ corporateId, name: 'Renamed', kmsKey: first }, stores)).rejects.toThrow(
    'use --move-wallet',
  );
  expect(await rowOf(corporateId)).toEqual(before);
  const alias = second.replace(/key\/.*/, 'alias/second');
  expect(await set(alias)).toBe(alias);
  expect((await rowOf(corporateId))?.['wallet_address']).toBe(before?.['wallet_address']);
});

it('gives no account a wallet that another has, or that pays for relayed requests', async () => {
  const [taken, relays] = [kms.walletKey('alias/taken'), kms.walletKey('alias/relays')];
  const [owner, other] = ['has-wallet', 'wants-wallet'];
  await upsertAccount({ name: 'Has', corporateId: owner, kmsKey: taken }, stores);
  await setRelayerWallet(owner, relays, stores);
  await upsertAccount({ name: 'Wants', corporateId: other }, stores);
  const before = await rowOf(other);
  for (const kmsKey of [taken, relays]) {
    const refusals = [
      upsertAccount({ name: 'New', corporateId: 'has-none', kmsKey }, stores),
      upsertAccount({ corporateId: other, kmsKey }, stores),
      setRelayerWallet(other, kmsKey, stores),
    ];
    await Promise.all(refusals.map((one) => expect(one).rejects.toThrow('also the wallet of another account')));
  }
  await expect(upsertAccount({ corporateId: owner, kmsKey: relays }, stores)).rejects.toThrow("or a relayer's");
  expect([await rowOf(other), await rowOf('has-none')]).toEqual([before, undefined]);
  expect(await setRelayerWallet(owner, relays, stores)).toBe((await kmsWallet(stores.secrets, relays)).address);
});

it('stores nothing when KMS refuses the key, or it cannot sign for a wallet', async () => {
  const client = new KMSClient({ endpoint: kms.url, region, credentials });
  const { KeyMetadata } = await client.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
  );
  client.destroy();
  for (const [kmsKey, reason] of [
    [KeyMetadata?.Arn, 'not of the key spec ECC_SECG_P256K1'],
    [`${kms.walletKey('alias/first')}0`, 'NotFoundException'],
  ]) {
    const created = upsertAccount({ name: 'Refused', corporateId: 'refused-key', kmsKey }, stores);
    await expect(created).rejects.toThrow(reason);
  }
  expect(await rowOf('refused-key')).toBeUndefined();
});

it('requires a name for a new account, and stores no secret without one', async () => {
  await expect(upsertAccount({ corporateId: 'nameless' }, stores)).rejects.toThrow('needs a name');
  expect(await readFile(join(directory, 'secrets.json'), 'utf8')).not.toContain('nameless');
});

it('reports the error of the secrets store, and stores no account', async () => {
  const wrong = { ...stores, secrets: { ...stores.secrets, AWS_SECRET_ACCESS_KEY: 'wrong' } };
  await expect(upsertAccount({ name: 'Refused', corporateId: 'refused' }, wrong)).rejects.toThrow(
    'InvalidSignatureException',
  );
  expect(await rowOf('refused')).toBeUndefined();
});
