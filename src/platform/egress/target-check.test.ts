import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endlessBody } from '../../../test/fixtures/endless-body.ts';
import { createTargetCheck } from './target-check.ts';

const settings = { WEBHOOK_ALLOW_PRIVATE_TARGETS: false, WEBHOOK_DNS_URL: 'https://resolver.example/dns-query' };
const records = new Map<string, { type: number; data: string }[]>();
const lookups: string[] = [];
let now = 0;
const clock = { now: () => now };

beforeEach(() => {
  records.clear();
  lookups.length = 0;
  now = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const question = `${url.searchParams.get('name')} ${url.searchParams.get('type')}`;
    lookups.push(question);
    const answer = records.get(question);
    return Promise.resolve(Response.json(answer === undefined ? { Status: 3 } : { Status: 0, Answer: answer }));
  });
});
afterEach(() => vi.restoreAllMocks());

const check = (target: string) => createTargetCheck(settings, clock)(target);

describe('createTargetCheck', () => {
  it('accepts a name that resolves to public addresses', async () => {
    records.set('hooks.example.com A', [
      { type: 5, data: 'edge.example.net.' },
      { type: 1, data: '93.184.215.14' },
    ]);
    expect(await check('https://hooks.example.com/a')).toBeUndefined();
  });

  it.each([
    ['IPv4', [{ type: 1, data: '10.0.0.1' }], []],
    ['IPv6', [], [{ type: 28, data: 'fd00::1' }]],
    [
      'one of several',
      [
        { type: 1, data: '93.184.215.14' },
        { type: 1, data: '127.0.0.1' },
      ],
      [],
    ],
    ['the other family', [{ type: 1, data: '93.184.215.14' }], [{ type: 28, data: '::1' }]],
    ['IPv4 mapped into IPv6', [], [{ type: 28, data: '::ffff:169.254.169.254' }]],
  ])('rejects without retry a name that resolves to a private address: %s', async (_, a, aaaa) => {
    records.set('hooks.example.com A', a);
    records.set('hooks.example.com AAAA', aaaa);
    expect(await check('https://hooks.example.com/a')).toMatchObject({
      final: true,
      error: expect.stringContaining('not public'),
    });
  });

  it('allows a retry when the name has no address or the resolver does not answer', async () => {
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('no', { status: 503 }));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
  });

  it('reads a reply up to its limit and no further', async () => {
    const endless = [endlessBody(), endlessBody()];
    let answers = 0;
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(endless[answers++]?.body)));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    expect(Math.max(...endless.map(({ bytes }) => bytes))).toBeLessThan(512 * 1_024);
  });

  it('looks a name up once for many attempts, and again when the answer has expired', async () => {
    records.set('hooks.example.com A', [{ type: 1, data: '93.184.215.14' }]);
    const shared = createTargetCheck(settings, clock);
    await Promise.all([shared('https://hooks.example.com/a'), shared('https://hooks.example.com/b')]);
    await shared('https://hooks.example.com/c');
    expect(lookups).toHaveLength(2);
    now += 30_001;
    records.set('hooks.example.com A', [{ type: 1, data: '10.0.0.1' }]);
    expect(await shared('https://hooks.example.com/a')).toMatchObject({ final: true });
  });

  it('looks up neither addresses nor, when private targets are allowed, names', async () => {
    expect(await check('https://8.8.8.8/')).toBeUndefined();
    expect(await check('https://10.0.0.1/')).toMatchObject({ final: true });
    const lenient = createTargetCheck({ ...settings, WEBHOOK_ALLOW_PRIVATE_TARGETS: true }, clock);
    expect(await lenient('http://localhost:9000/')).toBeUndefined();
    expect(lookups).toEqual([]);
  });
});
