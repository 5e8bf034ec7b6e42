import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { HOSTILE_MODES, startHostileServer, type HostileServer } from '../fixtures/hostile-server.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';

let nodes: HostileServer;
let index: HostileServer;
let others: HostileServer;
let own: OwnStack;
let headers: Record<string, string>;

/** Of those that keep the connection open and say nothing, one: each costs a whole timeout. */
const NODES = HOSTILE_MODES.filter((mode) => !['drip-headers', 'informational', 'silent'].includes(mode));

beforeAll(async () => {
  [nodes, index, others] = await Promise.all([startHostileServer(), startHostileServer(), startHostileServer()]);
  own = await startOwnStack({
    // Nodes are tried in order; only the last one works.
    RPC_URL_43113: [...NODES, 'work'].map((mode) => `${nodes.url}/${mode}`).join(','),
    NFT_INDEX_URL: `${index.url}/by-content`,
    EXCHANGE_RATE_URL: `${others.url}/redirect`,
    EXCHANGE_RATE_API_KEY: 'the-key-of-the-rates',
    S3_ENDPOINT: `${others.url}/redirect`,
    WEBHOOK_TIMEOUT_SECONDS: '3',
  });
  nodes.target = own.rpcUrls['43113'] ?? '';
  const account = await own.createAccount({ name: 'Test' });
  await fundWallet(account.walletAddress as Address, Object.values(own.rpcUrls));
  headers = { 'x-api-key': own.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': account.corporateId };
});
afterAll(async () => {
  await own.stop();
  await Promise.all([nodes.stop(), index.stop(), others.stop()]);
});

/** Every connection is closed, and nothing was sent where only a redirect points. */
async function expectNothingLeft(server: HostileServer): Promise<void> {
  await vi.waitFor(() => expect(server.open()).toBe(0), { timeout: 120_000 });
  expect(server.strayed).toEqual([]);
}

async function ask(path: string, init: Omit<RequestInit, 'headers'> = {}, more: Record<string, string> = {}) {
  const { status, body } = await own.ask(path, { ...headers, ...more }, init);
  return { status, body };
}

const post = (path: string, body: unknown) =>
  ask(path, { method: 'POST', body: JSON.stringify(body) }, { 'content-type': 'application/json' });

/** Polls a resource until it has these fields. */
const untilIt = (path: string, fields: object) =>
  vi.waitFor(
    async () => {
      const { body } = await ask(path);
      expect({ path, ...body }).toMatchObject(fields);
      return body;
    },
    { interval: 200, timeout: 120_000 },
  );

const contractFields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };

describe.concurrent('nodes that do everything but answer', () => {
  it('keep no order from its end and no read from its answer while one node works', async () => {
    const { status, body } = await post('/contracts/deploy', { ...contractFields, chainId: '43113' });
    expect(status).toBe(201);
    const { contractAddress } = await untilIt(`/contracts/${body._id}`, { status: 'ACTIVE' });
    const read = { chainId: '43113', contractAddress, method: 'symbol' };
    expect(await post('/contracts/read', read)).toEqual({ status: 200, body: 'T' });
    expect([...nodes.requests.keys()]).toEqual(expect.arrayContaining(NODES));
    await expectNothingLeft(nodes);
  });
});

describe.concurrent('an NFT index that does everything but answer', () => {
  it('is a 502 each time', async () => {
    const replies = HOSTILE_MODES.map(async (mode) => {
      const wallet = privateKeyToAddress(generatePrivateKey());
      index.modes.set(wallet, mode);
      const { status, body } = await ask(`/api/wallet/nfts?wallet=${wallet}`);
      return [mode, status, body.message];
    });
    const message = expect.stringMatching(/^The (response of the )?NFT index /);
    expect(await Promise.all(replies)).toEqual(HOSTILE_MODES.map((mode) => [mode, 502, message]));
    expect([...index.requests.keys()]).toEqual(expect.arrayContaining([...HOSTILE_MODES]));
    await expectNothingLeft(index);
  });
});

describe.concurrent('an exchange-rate provider and an object store that redirect', () => {
  it('are not followed: an order has its fee in coins, an upload is a 502, and no key leaves', async () => {
    const { body } = await post('/contracts/deploy', { ...contractFields, chainId: '43114' });
    expect(await untilIt(`/contracts/${body._id}`, { status: 'ACTIVE' })).toMatchObject({ nativePriceUsd: null });
    const form = new FormData();
    form.set('file', new Blob(['GIF89a']), 'a.gif');
    expect((await ask('/assets/upload', { method: 'POST', body: form })).status).toBe(502);
    expect(others.strayed).toEqual([]);
  });
});

describe.concurrent('webhook endpoints', () => {
  /** These answer with a status. Only that counts, whatever their body does. */
  const delivered = new Set<string>(['drip', 'flood', 'bomb', 'not-gzip', 'nested', 'truncated', 'good']);

  it('that do everything but answer delay nobody else, and each attempt has an end', async () => {
    const receiver = await startWebhookReceiver();
    const targets = [
      ...HOSTILE_MODES.map((mode) => [mode, `${others.url}/${mode}`] as const),
      ['no TLS', others.url.replace('http:', 'https:')] as const,
      ['no such name', 'http://a-name-that-does-not-exist.invalid/'] as const,
      ['good', receiver.url] as const,
    ];
    const tests = await Promise.all(
      targets.map(async ([name, url]) => {
        const endpoint = await post('/webhooks/endpoints', { url, eventTypes: ['ownership.failed'] });
        expect(endpoint.status).toBe(201);
        const test = await post(`/webhooks/endpoints/${endpoint.body.id}/test`, {});
        return [name, `/webhooks/deliveries/${test.body.id}`] as const;
      }),
    );
    const anyFailure = expect.stringMatching(/^(RETRYING|FAILED)$/);
    for (const [name, path] of tests) await untilIt(path, { status: delivered.has(name) ? 'SUCCESS' : anyFailure });
    expect(receiver.deliveries).toHaveLength(1);
    await expectNothingLeft(others);
  });
});
