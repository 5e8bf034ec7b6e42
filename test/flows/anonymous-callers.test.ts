import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, deployContract, newClient, stack, type Client } from '../fixtures/client.ts';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import {
  recordedBodies,
  setFaults,
  startFaultProxy,
  statementTagged,
  type FaultProxy,
} from '../fixtures/fault-proxy.ts';

/** Lower than those of wrangler.toml, so that a test soon reaches them. */
const LIMITS = { ADDRESS_LIMITER: 130, UNKNOWN_CONTRACT_LIMITER: 20 };
const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';

let database: FaultProxy;
let service: BuiltWorker;
let client: Client;

beforeAll(async () => {
  // A separate proxy, so that the queries of other tests are not counted.
  database = await startFaultProxy(stack.settings['NEON_FETCH_ENDPOINT'] ?? '');
  service = await startDataCenter({ NEON_FETCH_ENDPOINT: database.url }, LIMITS);
  client = await newClient();
});
afterAll(async () => {
  await service.stop();
  await database.close();
});

let addresses = 0;
/** An address that has made no request yet. */
function newAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}

const ask = async (path: string, address: string, headers: Record<string, string> = {}) => {
  const reply = await call(path, { headers: { 'cf-connecting-ip': address, ...headers } }, service.url);
  return { status: reply.status, retryAfter: reply.headers.get('retry-after') };
};

const accountHeaders = (name: string) => ({ 'x-api-key': apiKey, 'x-corporate-id': name });

const randomHex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');

/**
 * Makes requests with limited concurrency.
 * @returns the number of database round trips, and of calendar seconds that it took.
 */
async function roundTripsOf(requests: readonly (() => Promise<{ status: number }>)[], atOnce = 50) {
  await setFaults(database.url, [{ match: 'POST', effect: 'record', times: 1_000_000 }], 'anonymous');
  const begun = Math.floor(Date.now() / 1_000);
  const statuses = new Map<number, number>();
  for (let from = 0; from < requests.length; from += atOnce) {
    for (const { status } of await Promise.all(requests.slice(from, from + atOnce).map((request) => request()))) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const seconds = Math.floor(Date.now() / 1_000) - begun + 1;
  const recorded = await recordedBodies(database.url, 'anonymous');
  // What earlier callers, who were known, have left to count is stored within ten seconds.
  const own = recorded.filter((text) => !text.includes(statementTagged('store-tallies')));
  return { trips: own.length, seconds, statuses };
}

const times = <Item>(count: number, make: (index: number) => Item) => Array.from({ length: count }, (_, i) => make(i));

describe('without a key', () => {
  it('300 requests for random tokens, for /health and with unknown accounts make a bounded number of database queries', async () => {
    const address = newAddress();
    const { trips, seconds, statuses } = await roundTripsOf(
      times(100, () => [
        () => ask(`/metadata/0x${randomHex(20)}/${BigInt(`0x${randomHex(8)}`)}`, address),
        () => ask('/health', address),
        () => ask('/contracts', address, { 'x-corporate-id': crypto.randomUUID() }),
      ]).flat(),
    );
    // A new period of the limit may begin in the meantime.
    expect(trips).toBeLessThanOrEqual(2 * LIMITS.UNKNOWN_CONTRACT_LIMITER + seconds + 1);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect(statuses.get(200)).toBe(100);
    expect(statuses.get(401)).toBe(100);
  });

  it('requests with invented keys of accounts query the database up to the limit of their address', async () => {
    const address = newAddress();
    const limit = LIMITS.ADDRESS_LIMITER;
    const { trips, statuses } = await roundTripsOf(
      times(2 * limit + 100, () => () => ask('/contracts', address, { 'x-api-key': `key_live_${randomHex(32)}` })),
    );
    // A new period of the limit may begin in between.
    expect(trips).toBeLessThanOrEqual(2 * limit);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect((statuses.get(401) ?? 0) + (statuses.get(429) ?? 0)).toBe(2 * limit + 100);
  });

  it('/health checks the data store once a second', async () => {
    const { trips, seconds } = await roundTripsOf(times(100, () => () => ask('/health', newAddress())));
    expect(trips).toBeLessThanOrEqual(seconds + 1);
  });

  it('tokens of an address without a contract are looked up once a second in all', async () => {
    const contract = `0x${randomHex(20)}`;
    await ask(`/metadata/${contract}/0`, newAddress());
    const { trips, seconds, statuses } = await roundTripsOf(
      times(60, (index) => () => ask(`/metadata/${contract}/${index}`, newAddress())),
      1,
    );
    expect(statuses).toEqual(new Map([[404, 60]]));
    expect(trips).toBeLessThanOrEqual(seconds);
  });

  it('a caller that invents contracts is limited, but can still read tokens of real ones', async () => {
    const { contractAddress } = await deployContract(client);
    const address = newAddress();
    const replies = await Promise.all(
      times(2 * LIMITS.UNKNOWN_CONTRACT_LIMITER + 1, () => ask(`/metadata/0x${randomHex(20)}/1`, address)),
    );
    const refused = replies.find(({ status }) => status === 429);
    expect(refused).toEqual({ status: 429, retryAfter: '60' });
    // Another reader has cached the contract here.
    expect((await ask(`/metadata/${contractAddress}/1`, newAddress())).status).toBe(404);
    expect((await ask(`/metadata/${contractAddress}/2`, address)).status).toBe(404);
    expect((await ask(`/metadata/0x${randomHex(20)}/1`, newAddress())).status).toBe(404);
  });

  it('wrong keys are limited with 429, the right one from the same address is not', async () => {
    const address = newAddress();
    const wrong = () =>
      ask('/contracts', address, { 'x-api-key': 'wrong', 'x-corporate-id': client.account.corporateId });
    const { trips, statuses } = await roundTripsOf(times(2 * LIMITS.ADDRESS_LIMITER + 50, () => wrong));
    expect(trips).toBe(0);
    expect(statuses.get(401)).toBeGreaterThan(0);
    expect(statuses.get(429)).toBeGreaterThan(0);
    const partner = await Promise.all(
      times(100, () => ask('/contracts', address, accountHeaders(client.account.corporateId))),
    );
    expect(new Set(partner.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it.each([
    ['are no route', (name: string) => `/${name}`],
    ['are no page of the site', (name: string) => `/docs/${name}`],
    ['are no file of a page', (name: string) => `/pages/site/${name}.js`],
    ['are no schema', (name: string) => `/schemas/${name}@1.0.0`],
  ])('paths that %s are limited with 429, and apart from wrong keys', async (_, pathOf) => {
    const address = newAddress();
    const nowhere = () => ask(pathOf(randomHex(4)), address);
    const { trips, statuses } = await roundTripsOf(times(2 * LIMITS.ADDRESS_LIMITER + 50, () => nowhere));
    expect(trips).toBe(0);
    expect(statuses.get(404)).toBeGreaterThan(0);
    expect(statuses.get(429)).toBeGreaterThan(0);
    expect((await ask('/status', address, { 'x-admin-secret-key': 'wrong' })).status).toBe(401);
  });

  it('requests with links of claims are limited with 429, and apart from wrong keys', async () => {
    const address = newAddress();
    const secret = JSON.stringify({ secret: randomHex(32) });
    const open = async (id: string, body = secret) => {
      const headers = { 'cf-connecting-ip': address, 'content-type': 'application/json' };
      return await call(`/claims/${id}/open`, { method: 'POST', headers, body }, service.url);
    };
    const { trips, statuses } = await roundTripsOf(
      times(2 * LIMITS.ADDRESS_LIMITER + 50, () => () => open(randomHex(12))),
    );
    expect(trips).toBeLessThanOrEqual(2 * LIMITS.ADDRESS_LIMITER);
    expect(statuses.get(404)).toBeGreaterThan(0);
    expect(statuses.get(429)).toBeGreaterThan(0);
    const unreadable = await roundTripsOf(times(2 * LIMITS.ADDRESS_LIMITER + 50, () => () => open(randomHex(12), '{')));
    expect(unreadable.statuses.get(429)).toBeGreaterThan(0);
    expect((await ask('/status', address, { 'x-admin-secret-key': 'wrong' })).status).toBe(401);
  });

  it('wrong admin keys are limited with 429, the right one from the same address is not', async () => {
    const address = newAddress();
    const wrong = () => ask('/status', address, { 'x-admin-secret-key': 'wrong' });
    const { trips, statuses } = await roundTripsOf(times(2 * LIMITS.ADDRESS_LIMITER + 50, () => wrong));
    expect(trips).toBe(0);
    expect(statuses.get(401)).toBeGreaterThan(0);
    expect(statuses.get(429)).toBeGreaterThan(0);
    const adminKey = stack.settings['ADMIN_SECRET_KEY'] ?? '';
    expect((await ask('/status', address, { 'x-admin-secret-key': adminKey })).status).toBe(200);
  });
});

describe('with a key', () => {
  it('an unknown account is looked up once a second', async () => {
    const names = times(3, () => crypto.randomUUID());
    const address = newAddress();
    const { trips, seconds, statuses } = await roundTripsOf(
      times(120, (index) => () => ask('/contracts', address, accountHeaders(names[index % 3] ?? ''))),
    );
    expect(statuses).toEqual(new Map([[403, 120]]));
    expect(trips).toBeLessThanOrEqual(3 * (seconds + 1));
  });

  it('invented accounts cost few round trips, and do not keep out any account from the same address, seen before or not', async () => {
    const address = newAddress();
    const own = (name: string) => ask('/contracts', address, accountHeaders(name));
    const unseen = await newClient();
    expect((await own(client.account.corporateId)).status).toBe(200);
    const count = 2 * LIMITS.ADDRESS_LIMITER + 50;
    const { trips, statuses } = await roundTripsOf(
      times(count, () => () => own(crypto.randomUUID())),
      100,
    );
    expect(statuses).toEqual(new Map([[403, count]]));
    expect(trips).toBeLessThan(count / 4);
    expect((await own(client.account.corporateId)).status).toBe(200);
    expect((await own(unseen.account.corporateId)).status).toBe(200);
  });
});
