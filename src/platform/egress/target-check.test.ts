import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endlessBody } from '../../../test/fixtures/endless-body.ts';
import { createTargetCheck } from './target-check.ts';

const settings = { WEBHOOK_ALLOW_PRIVATE_TARGETS: false, WEBHOOK_DNS_URL: 'https://resolver.example/dns-query' };
const records = new Map<string, { type: number; data: string }[]>();
const asked: string[] = [];
let now = 0;
const clock = { now: () => now };

beforeEach(() => {
  records.clear();
  asked.length = 0;
  now = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const question = `${url.searchParams.get('name')} ${url.searchParams.get('type')}`;
    asked.push(question);
    const answer = records.get(question);
    return Promise.resolve(Response.json(answer === undefined ? { Status: 3 } : { Status: 0, Answer: answer }));
  });
});
afterEach(() => vi.restoreAllMocks());

const check = (target: string) => createTargetCheck(settings, clock)(target);

describe('createTargetCheck', () => {
  it('lets a name pass that leads to public addresses', async () => {
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
  ])('refuses for good a name that leads to a private address: %s', async (_, a, aaaa) => {
    records.set('hooks.example.com A', a);
    records.set('hooks.example.com AAAA', aaaa);
    expect(await check('https://hooks.example.com/a')).toMatchObject({
      final: true,
      fault: expect.stringContaining('not public'),
    });
  });

  it('asks for another attempt when the name has no address, or the resolver does not answer', async () => {
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('no', { status: 503 }));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('down'));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
  });

  it('reads an answer up to its limit and no further', async () => {
    const endless = [endlessBody(), endlessBody()];
    let answers = 0;
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response(endless[answers++]?.body)));
    expect(await check('https://hooks.example.com/a')).toMatchObject({ final: false });
    expect(Math.max(...endless.map(({ bytes }) => bytes))).toBeLessThan(512 * 1_024);
  });

  it('asks once for many attempts, and again after a while', async () => {
    records.set('hooks.example.com A', [{ type: 1, data: '93.184.215.14' }]);
    const shared = createTargetCheck(settings, clock);
    await Promise.all([shared('https://hooks.example.com/a'), shared('https://hooks.example.com/b')]);
    await shared('https://hooks.example.com/c');
    expect(asked).toHaveLength(2);
    now += 30_001;
    records.set('hooks.example.com A', [{ type: 1, data: '10.0.0.1' }]);
    expect(await shared('https://hooks.example.com/a')).toMatchObject({ final: true });
  });

  it('asks nobody about an address, nor where private targets are allowed', async () => {
    expect(await check('https://8.8.8.8/')).toBeUndefined();
    expect(await check('https://10.0.0.1/')).toMatchObject({ final: true });
    const lenient = createTargetCheck({ ...settings, WEBHOOK_ALLOW_PRIVATE_TARGETS: true }, clock);
    expect(await lenient('http://localhost:9000/')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});
