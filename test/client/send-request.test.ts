import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ERROR_CODES } from '../../src/core/error-codes.ts';
import { ERROR_STATUS } from '../../src/http/error-replies.ts';
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ServiceError,
  createClient,
} from '../../clients/typescript/src/index.ts';
import { clientOf, ended, json, refusal } from './service.ts';

const MINT = { chainId: '43114', contractAddress: '0x1', receiverAddress: '0x2', tokenId: '1', metadataId: 'm' };
const accepted = json({ id: 'o1', status: 'PENDING' }, { status: 201 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  // First: it puts back the timers that a test has spied on, which are not the real ones.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a request', () => {
  const codes = Object.entries(ERROR_CODES).map(([code, { kind, remedy }]) => ({
    code,
    status: ERROR_STATUS[kind],
    isRetried: /^(?:Wait for Retry-After seconds|Send the same request again)/.test(remedy),
  }));
  it('is sent again after some errors, and not after others', () => {
    expect(new Set(codes.map(({ isRetried }) => isRetried)).size).toBe(2);
  });
  it.each(codes)(
    'is sent again after $code as docs/errors.md says: $isRetried',
    async ({ code, status, isRetried }) => {
      const { nft, received } = clientOf([refusal(status, code), accepted]);
      const result = await ended(nft.orderMint(MINT));
      expect(received).toHaveLength(isRetried ? 2 : 1);
      expect(result).toMatchObject(isRetried ? { id: 'o1', status: 'PENDING' } : { code, status });
    },
  );

  it.each([
    ['a 5xx of the platform', () => new Response('<html>', { status: 522 })],
    ['a 429 of the platform', () => new Response('slow down', { status: 429 })],
    ['an unknown code of a 5xx', refusal(500, 'new_code')],
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['a reply that is cut off', () => new Response('{"id":', { status: 201 })],
  ])('is sent again after %s', async (_, first) => {
    const { nft, received } = clientOf([first, accepted]);
    expect(await ended(nft.orderMint(MINT))).toEqual({ id: 'o1', status: 'PENDING' });
    expect(received).toHaveLength(2);
  });

  it('has the same body and Idempotency-Key at every attempt, another one in another call', async () => {
    const { nft, received } = clientOf([refusal(500, 'internal_error'), refusal(429, 'rate_limited'), accepted]);
    await ended(nft.orderMint(MINT));
    await ended(nft.orderMint(MINT));
    const keys = received.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('ends after five attempts with the last error, which has the key to go on with', async () => {
    const { nft, received } = clientOf([refusal(503, 'temporarily_unavailable')]);
    const error = await ended(nft.orderMint(MINT, { idempotencyKey: 'sale-1' }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 'temporarily_unavailable', requestId: 'r1', idempotencyKey: 'sale-1' });
    expect(received).toHaveLength(5);
  });

  it('is not sent again before Retry-After', async () => {
    const { nft, received } = clientOf([refusal(429, 'rate_limited', { 'retry-after': '7' }), accepted]);
    const order = nft.orderMint(MINT);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(received).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(received).toHaveLength(2);
    expect((await order).id).toBe('o1');
  });

  it('is not sent again before a Retry-After that is a date', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 2, 9, 30) });
    const headers = { 'retry-after': 'Mon, 02 Nov 2026 09:30:07 GMT' };
    const { nft, received } = clientOf([refusal(503, 'temporarily_unavailable', headers), accepted]);
    const order = nft.orderMint(MINT);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(received).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(received).toHaveLength(2);
    expect((await order).id).toBe('o1');
  });

  it('leaves a long Retry-After to the caller', async () => {
    const { nft, received } = clientOf([refusal(429, 'limit_reached', { 'retry-after': '3600' }), accepted]);
    const error = await ended(nft.orderMint(MINT));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: 3_600 });
    expect(received).toHaveLength(1);
  });

  it('waits longer from attempt to attempt, and never the same time', async () => {
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const { nft } = clientOf([refusal(500, 'internal_error')]);
    await ended(nft.getLimits());
    await ended(nft.getLimits());
    const [first = [], second = []] = [0, 4].map((from) => waits.mock.calls.slice(from, from + 4).map(([, ms]) => ms));
    expect(first).not.toEqual(second);
    for (const [index, longest] of [500, 1_000, 2_000, 4_000].entries()) {
      expect(first[index]).toBeLessThanOrEqual(longest);
      expect(first[index]).toBeGreaterThanOrEqual(longest / 2);
    }
  });

  it('ends when its caller aborts it, also between two attempts', async () => {
    const { nft, received } = clientOf([refusal(500, 'internal_error')]);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 1);
    expect(await ended(nft.getLimits({ signal: controller.signal }))).toHaveProperty('message', 'enough');
    expect(received).toHaveLength(1);
  });

  it('ends with the reason of its caller also if that ends the last attempt', async () => {
    const controller = new AbortController();
    const abort = () => {
      controller.abort(new Error('enough'));
      return Promise.reject(new TypeError('aborted'));
    };
    const { nft } = clientOf([abort], { maxRetries: 0 });
    await expect(nft.getLimits({ signal: controller.signal })).rejects.toThrow('enough');
  });

  it('that would create two things is sent again only if it was refused', async () => {
    const file = new Blob(['a'], { type: 'image/png' });
    const failed = clientOf([refusal(500, 'internal_error')]);
    expect(await ended(failed.nft.uploadAsset({ file }))).toMatchObject({ code: 'internal_error' });
    const limited = clientOf([refusal(429, 'rate_limited'), json({ _id: 'a1' }, { status: 201 })]);
    expect(await ended(limited.nft.uploadAsset({ file }))).toEqual({ _id: 'a1' });
    expect([failed.received.length, limited.received.length]).toEqual([1, 2]);
    expect(limited.received[1]?.body).toBeInstanceOf(FormData);
  });

  it('that deletes has succeeded if a lost attempt has', async () => {
    const id = '0'.repeat(24);
    const lost = clientOf([() => Promise.reject(new TypeError('lost')), refusal(404, 'not_found')]);
    expect(await ended(lost.nft.deleteWebhookEndpoint({ id }))).toBeUndefined();
    const first = clientOf([refusal(404, 'not_found')]);
    expect(await ended(first.nft.deleteWebhookEndpoint({ id }))).toMatchObject({ code: 'not_found' });
  });
});

describe('an error', () => {
  it('is of the class of its code, with what the service says', async () => {
    const errors = [{ path: 'tokenId', code: 'required', message: 'is required' }];
    const { nft } = clientOf([
      refusal(400, 'invalid_input', {}, { errors: [...errors, 7] }),
      refusal(404, 'route_not_found'),
      refusal(404, 'not_found'),
    ]);
    const error = await ended(nft.orderMint(MINT));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: 'InvalidRequestError', errors, requestId: 'r1' });
    expect(error).toHaveProperty('message', '400 invalid_input: No (tokenId: is required)');
    expect(await ended(nft.getLimits())).toMatchObject({ name: 'InvalidRequestError', status: 404 });
    expect(await ended(nft.getLimits())).toMatchObject({ name: 'NotFoundError', status: 404 });
  });

  it.each([
    [401, 'AuthenticationError'],
    [403, 'PermissionError'],
    [404, 'NotFoundError'],
    [409, 'ConflictError'],
    [412, 'VersionError'],
    [418, 'InvalidRequestError'],
    [422, 'IdempotencyKeyReusedError'],
  ])('with status %d and a code that is not known, or none, has the class %s', async (status, name) => {
    const { nft } = clientOf([refusal(status, 'constructor'), () => new Response('no JSON', { status })]);
    expect(await ended(nft.getLimits())).toMatchObject({ name, status, code: 'constructor' });
    expect(await ended(nft.getLimits())).toMatchObject({ name, status, code: undefined });
  });

  it('of a redirect sends the key nowhere', async () => {
    const { nft, received } = clientOf([
      () => new Response(null, { status: 307, headers: { location: '//evil.test' } }),
    ]);
    expect(await ended(nft.getLimits())).toMatchObject({ name: 'ConnectionError', reason: 'redirect' });
    expect(received).toHaveLength(1);
  });

  it('does not have the key or the account, whatever the service or the network says', async () => {
    const key = 'key_live_0123456789';
    const corporateId = 'c0ffee-account';
    const said = `${key} ${corporateId}`;
    const more = { message: said, requestId: undefined, errors: [{ path: said, code: said, message: said }] };
    const escaped = `{"message":"${Array.from(key, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}"}`;
    for (const reply of [
      refusal(400, 'invalid_input', { 'x-request-id': key }, more),
      () => new Response(escaped, { status: 400 }),
      () => Promise.reject(new TypeError('failed', { cause: new Error(said) })),
    ]) {
      const { nft } = clientOf([reply], { key, corporateId, maxRetries: 0 });
      const error = await nft.getLimits().catch((thrown: Error) => [thrown.stack, Object.entries(thrown)]);
      const everything = JSON.stringify(error);
      expect(everything).toContain('[secret]');
      expect(everything).not.toContain(key);
      expect(everything).not.toContain(corporateId);
    }
  });

  it.each([
    { key: 'two\nlines-secret' },
    { key: '' },
    { corporateId: 'ünicode-secret' },
    { baseUrl: 'https://user:secret@nft.example.com' },
    { baseUrl: 'ftp://secret.example.com' },
    { baseUrl: 'secret' },
    { maxRetries: NaN },
  ])('of the options %j does not show them', (options) => {
    expect(() => createClient({ baseUrl: 'https://nft.example.com', ...options })).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining('secret') }),
    );
  });

  it('of a malformed Idempotency-Key comes before anything is sent', async () => {
    const { nft, received } = clientOf([accepted]);
    await expect(nft.orderMint(MINT, { idempotencyKey: 'a b' })).rejects.toThrow(TypeError);
    expect(received).toEqual([]);
  });

  it('of a reply that is no JSON says so', async () => {
    const error = await ended(clientOf([() => new Response('<html>')], { maxRetries: 0 }).nft.getLimits());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ reason: 'unreadable', message: 'GET /limits: status 200, and no JSON' });
  });
});
