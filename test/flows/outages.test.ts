import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Address } from 'viem';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { stack } from '../fixtures/client.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { expectErrors } from '../record/service-errors.ts';
import { startOtherWorker, type OtherWorker } from '../fixtures/other-worker.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';

expectErrors('health.data_store_unavailable');

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

let database: Postgres;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

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
