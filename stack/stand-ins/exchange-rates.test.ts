import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startExchangeRates } from './exchange-rates.ts';
import { CHAINS } from '../../src/chains/list.ts';
import type { HttpServer } from '../http-server.ts';

let rates: HttpServer;

beforeAll(async () => {
  rates = await startExchangeRates();
});
afterAll(() => rates.stop());

const ask = async (query: string) => {
  const response = await fetch(`${rates.url}?${query}`, { headers: { 'x-cg-demo-api-key': 'any' } });
  return { status: response.status, body: await response.json() };
};

it('returns the price of a coin in the requested currencies', async () => {
  expect(await ask('ids=avalanche-2&vs_currencies=usd,krw')).toEqual({
    status: 200,
    body: { 'avalanche-2': { usd: expect.any(Number), krw: expect.any(Number) } },
  });
  expect(await ask('ids=avalanche-2&vs_currencies=usd')).toEqual({
    status: 200,
    body: { 'avalanche-2': { usd: expect.any(Number) } },
  });
});

it('has a different price for the coin of each chain', async () => {
  const coins = [...new Set(CHAINS.map(({ nativeCoin }) => nativeCoin.rateId))];
  const { body } = await ask(`ids=${coins.join(',')}&vs_currencies=usd,krw`);
  const prices = z.record(z.string(), z.object({ usd: z.number(), krw: z.number() })).parse(body);
  expect(Object.keys(prices)).toEqual(coins);
  expect(new Set(Object.values(prices).map(({ usd }) => usd)).size).toBe(coins.length);
});

it('omits unknown coins and currencies', async () => {
  expect(await ask('ids=nothing&vs_currencies=usd')).toEqual({ status: 200, body: {} });
  expect(await ask('ids=avalanche-2&vs_currencies=xyz')).toEqual({ status: 200, body: { 'avalanche-2': {} } });
});

it('rejects requests without coins or currencies, and other paths', async () => {
  expect((await ask('ids=avalanche-2')).status).toBe(422);
  expect((await ask('vs_currencies=usd')).status).toBe(422);
  expect((await fetch(new URL('/api/v3/ping', rates.url))).status).toBe(404);
});
