import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Address } from 'viem';
import { fundWallet } from '../../stack/fund-wallet.ts';
import { newClient, stack } from '../fixtures/client.ts';
import type { Client } from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { startOwnStack } from '../fixtures/own-stack.ts';
import type { OwnStack } from '../fixtures/own-stack.ts';

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

let database: Postgres;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

describe('a secrets store that is down', () => {
  afterEach(() => setFaults(stack.proxies.secrets, [], 'outages'));

  it('keeps orders waiting, unsigned; they are carried out afterwards', async () => {
    const client = await newClient();
    const { corporateId } = client.account;
    // Two attempts fail with all their retries, and a part of the third.
    await setFaults(stack.proxies.secrets, [{ match: corporateId, effect: 'refuse', times: 7 }], 'outages');
    const { status, body } = await client.post('/contracts/deploy', contractFields);
    expect(status).toBe(201);
    const transaction = async () =>
      (await database.query('select state, nonce from transactions where order_id = $1', [body._id])).rows[0];
    await expect.poll(transaction, { timeout: 20_000 }).toEqual({ state: 'waiting', nonce: null });
    expect((await client.get(`/contracts/${body._id}`)).body).toMatchObject({
      status: 'DEPLOYING',
      errorMessage: null,
    });
    expect((await client.get('/contracts')).status).toBe(200);
    expect(await client.until(`/contracts/${body._id}`, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
  });
});

/** Orders a deployment. @returns its id, and how its transaction is held once it is. */
async function heldDeployment(client: Client) {
  const { body } = await client.post('/contracts/deploy', contractFields);
  const id = String(body._id);
  const hold = async () =>
    (await database.query('select state, hold_detail from transactions where order_id = $1', [id])).rows[0];
  await expect.poll(async () => (await hold()).hold_detail, { timeout: 20_000 }).not.toBeNull();
  expect((await client.get(`/contracts/${id}`)).body).toMatchObject({ status: 'DEPLOYING' });
  return { id, hold: await hold() };
}

describe('a signing key that cannot be used', () => {
  it("holds the order if it is another wallet's, and notes so", async () => {
    const client = await newClient();
    const { _id, walletAddress, secretManagerKeyId } = client.account;
    const other = privateKeyToAddress(generatePrivateKey());
    await database.query('update corporate_accounts set wallet_address = $2 where id = $1', [_id, other]);
    expect((await heldDeployment(client)).hold).toEqual({
      state: 'waiting',
      hold_detail: `The secret ${secretManagerKeyId} is the key of ${walletAddress}, not of the account's wallet ${other}`,
    });
  });

  it('holds the order if the secret does not exist, and carries it out once it does', async () => {
    const client = await newClient();
    const { _id, secretManagerKeyId } = client.account;
    const name = (id: string) =>
      database.query('update corporate_accounts set secret_manager_key_id = $2 where id = $1', [_id, id]);
    await name(`${secretManagerKeyId}-lost`);
    const { id, hold } = await heldDeployment(client);
    expect(hold).toMatchObject({ hold_detail: `The secrets store has no secret ${secretManagerKeyId}-lost` });
    await name(secretManagerKeyId);
    expect(await client.until(`/contracts/${id}`, ['ACTIVE', 'FAILED'])).toMatchObject({ status: 'ACTIVE' });
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

  const ask = async (path: string, init: RequestInit = {}, more: Record<string, string> = {}) => {
    const reply = await fetch(`${own.baseUrl}${path}`, { ...init, headers: { ...headers, ...more } });
    // oxlint-disable-next-line typescript/no-explicit-any -- replies are read by the tests, which say what they expect
    return { status: reply.status, body: (await reply.json()) as any };
  };

  const post = (path: string, body: unknown) =>
    ask(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': 'application/json' });

  it('a deployment is carried out; its fee is known in coins and null in other currencies', async () => {
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
