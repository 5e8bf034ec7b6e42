import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Address } from 'viem';
import { fundWallet } from '../../stack/fund-wallet.ts';
import { newClient, stack, type Client } from '../fixtures/client.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { startOtherWorker, type OtherWorker } from '../fixtures/other-worker.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

let database: Postgres;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

describe('a secrets store that is down', () => {
  afterEach(() => setFaults(stack.proxies.secrets, [], 'outages'));

  it('keeps orders waiting, unsigned; they are executed afterwards', async () => {
    const client = await newClient();
    const { corporateId } = client.account;
    // Two attempts fail with all their retries, and a part of the third.
    await setFaults(stack.proxies.secrets, [{ match: corporateId, effect: 'refuse', times: 7 }], 'outages');
    const { status, body } = await client.post('/contracts/deploy', contractFields);
    expect(status).toBe(201);
    const transaction = async () =>
      (await database.query('select state, nonce from transactions where order_id = $1', [body._id])).rows[0];
    await expect.poll(transaction).toEqual({ state: 'waiting', nonce: null });
    expect((await client.get(`/contracts/${body._id}`)).body).toMatchObject({
      status: 'DEPLOYING',
      errorMessage: null,
    });
    expect((await client.get('/contracts')).status).toBe(200);
    expect(await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('a data store that is down', () => {
  let worker: OtherWorker;
  beforeAll(async () => {
    worker = await startOtherWorker();
  });
  afterAll(() => worker.stop());

  const health = async () => {
    const { status, text } = await worker.call('/health', { method: 'GET', headers: {} });
    return [status, JSON.parse(text)];
  };

  it.each([
    { effect: 'refuse', times: 1 },
    { effect: 'stall', times: 1, milliseconds: 6_000 },
  ] as const)('makes /health a 503 while it does not answer ($effect), and 200 afterwards', async (fault) => {
    await setFaults(worker.database, [{ match: statementTagged('health-check'), ...fault }], 'outages');
    // The result of the last check is reused for a second.
    await expect.poll(health).toMatchObject([503, { status: 'unavailable' }]);
    await expect.poll(health).toMatchObject([200, { status: 'ok' }]);
  });
});

/** Orders a deployment. @returns its path, once it is held for the reason. */
async function heldDeployment(client: Client, reason: string): Promise<string> {
  const { body } = await client.post('/contracts/deploy', contractFields);
  const held = async () =>
    (await database.query('select hold_detail from transactions where order_id = $1', [body._id])).rows[0];
  await expect.poll(held).toEqual({ hold_detail: reason });
  const path = `/contracts/${body._id}`;
  expect((await client.get(path)).body).toMatchObject({ status: 'DEPLOYING', errorMessage: null });
  return path;
}

describe('a signing key that cannot be used', () => {
  const secrets = new SecretsManagerClient({
    endpoint: stack.settings['SECRETS_ENDPOINT'] ?? '',
    region: stack.settings['AWS_REGION'] ?? '',
    credentials: {
      accessKeyId: stack.settings['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: stack.settings['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  });

  it("because the secret is another wallet's keeps orders waiting until it is the wallet's again", async () => {
    const client = await newClient();
    const { walletAddress, secretManagerKeyId } = client.account;
    const secret = { SecretId: secretManagerKeyId };
    const { SecretString } = await secrets.send(new GetSecretValueCommand(secret));
    const privateKey = generatePrivateKey();
    await secrets.send(new PutSecretValueCommand({ ...secret, SecretString: JSON.stringify({ privateKey }) }));
    const other = privateKeyToAddress(privateKey);
    const path = await heldDeployment(
      client,
      `The key ${secretManagerKeyId} is that of ${other}, not of the account's wallet ${walletAddress}`,
    );
    await secrets.send(new PutSecretValueCommand({ ...secret, SecretString }));
    expect(await client.until(path, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });

  it('because the secret does not exist keeps orders waiting until it does', async () => {
    const client = await newClient();
    const { _id, secretManagerKeyId } = client.account;
    const lost = `${secretManagerKeyId}-lost`;
    const setSecret = (id: string) =>
      database.query('update corporate_accounts set secret_manager_key_id = $2 where id = $1', [_id, id]);
    await setSecret(lost);
    const path = await heldDeployment(client, `The secrets store has no secret ${lost}`);
    await setSecret(secretManagerKeyId);
    expect(await client.until(path, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });
});

describe('with the exchange rates, the NFT index and the object store down', () => {
  const dead = 'http://127.0.0.1:1';
  let own: OwnStack;
  let headers: Record<string, string>;
  beforeAll(async () => {
    own = await startOwnStack({
      EXCHANGE_RATE_URL: `${dead}/api/v3/simple/price`,
      NFT_INDEX_URL: `${dead}/the-index-key`,
      S3_ENDPOINT: dead,
    });
    const account = await own.createAccount({ name: 'Test' });
    await fundWallet(account.walletAddress as Address, Object.values(own.rpcUrls));
    headers = { 'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': account.corporateId };
  });
  afterAll(() => own.stop());

  const ask = (path: string, init: Omit<RequestInit, 'headers'> = {}, more: Record<string, string> = {}) =>
    own.ask(path, { ...headers, ...more }, init);

  const post = (path: string, body: unknown) =>
    ask(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': 'application/json' });

  it('a deployment is executed; its fee is known in coins and null in other currencies', async () => {
    const { body } = await post('/contracts/deploy', contractFields);
    const read = async () => (await ask(`/contracts/${body._id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('ACTIVE');
    const contract = await read();
    expect(Number(contract.totalFeeNative)).toBeGreaterThan(0);
    expect(contract).toMatchObject({
      nativePriceUsd: null,
      totalFeeUsd: null,
      nativePriceKrw: null,
      totalFeeKrw: null,
    });
  });

  it('the wallet listing and the upload are a 502 that names the service but not its address', async () => {
    const wallet = await ask(`/api/wallet/nfts?wallet=${privateKeyToAddress(generatePrivateKey())}`);
    expect(wallet.status).toBe(502);
    expect(wallet.body).toMatchObject({ statusCode: 502, message: 'The NFT index is unreachable' });
    const form = new FormData();
    form.set('file', new Blob(['GIF89a']), 'a.gif');
    const upload = await ask('/assets/upload', { method: 'POST', body: form });
    expect(upload.status).toBe(502);
    expect(upload.body).toMatchObject({ statusCode: 502, message: 'The object store cannot be reached' });
    for (const { body } of [wallet, upload]) expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|the-index-key/);
  });

  it('everything else works', async () => {
    expect((await ask('/health')).body).toMatchObject({ status: 'ok' });
    const status = await ask('/status', {}, { 'x-admin-secret-key': own.settings['ADMIN_SECRET_KEY'] ?? '' });
    expect(status.body).toMatchObject({ status: 'ok', unavailable: [] });
    const metadata = await post('/metadata', {
      chainId: '43114',
      name: 'A token',
      imageUrl: 'https://example.com/a.png',
      utility: { type: 'Flexible', data: { status: 'Unused' } },
    });
    expect(metadata.status).toBe(201);
  });
});
