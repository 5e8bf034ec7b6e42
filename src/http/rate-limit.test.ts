import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../core/log.ts';
import { DomainError } from '../core/domain-error.ts';
import { limitRate, networksOf, type RateClass } from './rate-limit.ts';
import type { AppEnv } from './app-env.ts';

const account = {
  id: 'a1',
  corporateId: 'acme',
  walletAddress: '0x',
  secretManagerKeyId: '',
  relayerAddress: null,
  isLimited: false,
} as const;

/** Sends one request of an account through the rate limiter. */
async function pass(limit: RateLimit['limit'], rateClass: RateClass = 'standard', name = 'RATE_LIMITER') {
  const app = new Hono<AppEnv>();
  app.onError((error, c) => c.text(error instanceof DomainError ? error.code : String(error), 429));
  app.use(async (c, next) => {
    c.set('account', account);
    c.set('log', createLog(String));
    await next();
  });
  app.use(limitRate(rateClass));
  app.all('*', (c) => c.text('passed'));
  const reply = await app.request('/', {}, { ...env, [name]: { limit } });
  return { status: reply.status, text: await reply.text(), retryAfter: reply.headers.get('retry-after') };
}

const full = () => Promise.resolve({ success: false });

afterEach(() => vi.restoreAllMocks());

describe('limitRate', () => {
  it('counts by account', async () => {
    const keys: unknown[] = [];
    const reply = await pass((options) => {
      keys.push(options);
      return Promise.resolve({ success: true });
    });
    expect(reply).toEqual({ status: 200, text: 'passed', retryAfter: null });
    expect(keys).toEqual([{ key: 'a1' }]);
  });

  it('counts a costly route by its own limit', async () => {
    expect((await pass(full, 'relay', 'RELAY_LIMITER')).status).toBe(429);
    expect((await pass(full, 'relay', 'RATE_LIMITER')).status).toBe(200);
  });

  it('rejects requests over the limit, and says when to retry', async () => {
    const reply = await pass(full);
    expect(reply).toEqual({ status: 429, text: 'rate_limited', retryAfter: '60' });
  });

  it('accepts requests when the limiter fails', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const reply = await pass(() => Promise.reject(new Error('down')));
    expect(reply.status).toBe(200);
  });
});

describe('networksOf', () => {
  it('is the address itself for IPv4, mapped into IPv6 or not', () => {
    expect(networksOf('203.0.113.7')).toEqual(['203.0.113.7']);
    expect(networksOf('::ffff:203.0.113.7')).toEqual(['203.0.113.7']);
  });

  it('is the same for all addresses of an IPv6 /64, and different for its neighbour, whose /48 it has', () => {
    const [network, site] = networksOf('2001:db8:0:1::1');
    expect([network, site]).toEqual(['2001:db8:0:1::/64', '2001:db8:0::/48']);
    expect(networksOf('2001:db8::1:ffff:ffff:ffff:ffff')).toEqual([network, site]);
    expect(networksOf('2001:db8:0:2::1')).toEqual(['2001:db8:0:2::/64', site]);
    expect(networksOf('2001:db8:1:1::1')[1]).not.toBe(site);
  });

  it('is the same for all callers whose address is missing or malformed', () => {
    expect([undefined, 'nonsense', ''].map(networksOf)).toEqual([['unknown'], ['unknown'], ['unknown']]);
  });
});
