import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../core/log.ts';
import { createRateSource } from './exchange-rates.ts';

const COIN = 'coin-one';
const settings = {
  EXCHANGE_RATE_URL: 'https://rates.example/api/v3/simple/price',
  EXCHANGE_RATE_API_KEY: 'the-key',
  EXCHANGE_RATE_TTL_SECONDS: 120,
};
const requests: Request[] = [];
let now = 0;
let answer: () => Promise<Response>;

const priced = (usd: unknown, krw: unknown) => () => Promise.resolve(Response.json({ [COIN]: { usd, krw } }));
const sourceOf = (overrides: Partial<typeof settings> = {}) =>
  createRateSource({ ...settings, ...overrides }, [COIN], { now: () => now }, createLog(String));

beforeEach(() => {
  requests.length = 0;
  now = 1_000_000;
  answer = priced(25.5, 35_190);
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    requests.push(new Request(input, init));
    return answer();
  });
});
afterEach(() => vi.restoreAllMocks());

describe('createRateSource', () => {
  it('requests the coin in both currencies, with the key in a header', async () => {
    expect(await sourceOf().current(COIN)).toEqual({ usd: 25.5, krw: 35_190 });
    const [request] = requests;
    expect(request?.url).toBe('https://rates.example/api/v3/simple/price?ids=coin-one&vs_currencies=usd%2Ckrw');
    expect(request?.headers.get('x-cg-demo-api-key')).toBe('the-key');
  });

  it("uses the other header for the provider's paid API", async () => {
    await sourceOf({ EXCHANGE_RATE_URL: 'https://pro-api.coingecko.com/api/v3/simple/price' }).current(COIN);
    expect(requests[0]?.headers.get('x-cg-pro-api-key')).toBe('the-key');
    expect(requests[0]?.headers.has('x-cg-demo-api-key')).toBe(false);
  });

  it('shares one request between concurrent calls, and caches the rate until it expires', async () => {
    const source = sourceOf();
    const rates = await Promise.all(Array.from({ length: 20 }, () => source.current(COIN)));
    expect(new Set(rates.map((rate) => rate?.usd))).toEqual(new Set([25.5]));
    now += 119_999;
    answer = priced(30, 40_000);
    expect(await source.current(COIN)).toEqual({ usd: 25.5, krw: 35_190 });
    expect(requests).toHaveLength(1);
    now += 1;
    expect(await source.current(COIN)).toEqual({ usd: 30, krw: 40_000 });
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['refuses the request', () => Promise.resolve(new Response('too many', { status: 429 }))],
    ['cannot be reached', () => Promise.reject(new TypeError('down'))],
    ['answers with something other than JSON', () => Promise.resolve(new Response('<html>'))],
    ['leaves a currency out', priced(25.5, undefined)],
    ['reports a price of zero', priced(0, 0)],
    ['does not know the coin', () => Promise.resolve(Response.json({}))],
  ])(
    'gives the last rate for ten minutes when the provider %s, then none, and a new one when it is back',
    async (_, failure) => {
      const source = sourceOf();
      await source.current(COIN);
      answer = failure;
      now += 120_000;
      expect(await source.current(COIN)).toEqual({ usd: 25.5, krw: 35_190 });
      now += 479_999;
      expect(await source.current(COIN)).toEqual({ usd: 25.5, krw: 35_190 });
      now += 1;
      expect(await source.current(COIN)).toBeNull();
      answer = priced(30, 40_000);
      now += 30_000;
      expect(await source.current(COIN)).toEqual({ usd: 30, krw: 40_000 });
    },
  );

  it('waits half a minute after a failure', async () => {
    answer = () => Promise.reject(new TypeError('down'));
    const source = sourceOf();
    for (let call = 0; call < 5; call += 1) expect(await source.current(COIN)).toBeNull();
    expect(requests).toHaveLength(1);
    now += 29_999;
    await source.current(COIN);
    expect(requests).toHaveLength(1);
    now += 1;
    await source.current(COIN);
    expect(requests).toHaveLength(2);
  });

  describe('for several coins', () => {
    const OTHER = 'coin-two';
    const both = () =>
      Promise.resolve(Response.json({ [COIN]: { usd: 25.5, krw: 35_190 }, [OTHER]: { usd: 0.5, krw: 690 } }));
    const sourceOfBoth = () => createRateSource(settings, [COIN, OTHER], { now: () => now }, createLog(String));

    it('prices each coin by its own rate, with one request for all', async () => {
      answer = both;
      const source = sourceOfBoth();
      expect(await Promise.all([source.current(COIN), source.current(OTHER)])).toEqual([
        { usd: 25.5, krw: 35_190 },
        { usd: 0.5, krw: 690 },
      ]);
      expect(await source.current(OTHER)).toEqual({ usd: 0.5, krw: 690 });
      expect(requests.map(({ url }) => new URL(url).searchParams.get('ids'))).toEqual(['coin-one,coin-two']);
    });

    it('has the price of one coin when the provider lacks the other, and retries only that one', async () => {
      const source = sourceOfBoth();
      expect(await source.current(OTHER)).toBeNull();
      expect(await source.current(COIN)).toEqual({ usd: 25.5, krw: 35_190 });
      expect(requests).toHaveLength(1);
      now += 30_000;
      answer = both;
      expect(await source.current(OTHER)).toEqual({ usd: 0.5, krw: 690 });
      expect(new URL(requests[1]?.url ?? '').searchParams.get('ids')).toBe(OTHER);
    });

    it('never uses the rate of one coin for another', async () => {
      const source = sourceOfBoth();
      await source.current(COIN);
      expect(await source.current('coin-three')).toBeNull();
    });
  });

  it('writes no key to the log', async () => {
    answer = () => Promise.resolve(new Response('no', { status: 401 }));
    const lines = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await sourceOf().current(COIN);
    expect(lines).toHaveBeenCalledOnce();
    expect(JSON.stringify(lines.mock.calls)).not.toContain('the-key');
  });
});
