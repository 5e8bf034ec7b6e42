import { expect, it } from 'vitest';
import { changeMark, dropChanged, findCached, lifetimeOf, putCached, putUnlessChanged } from './document-cache.ts';

const URL_ = 'https://metadata.test/metadata/0x1/';
let documents = 0;
const newUrl = () => `${URL_}${(documents += 1)}`;
const reply = (policy: string, body = 'a document') => new Response(body, { headers: { 'cache-control': policy } });
const SECOND = 1_000;
const lifetime = (policy?: string) => lifetimeOf(new Headers(policy === undefined ? {} : { 'cache-control': policy }));

it('a reply is kept for as long as it says since it was read, and tells its age', async () => {
  const url = newUrl();
  await putCached(url, reply('public, max-age=0, s-maxage=60'), 5 * SECOND);
  expect((await findCached(url, 5 * SECOND))?.headers.get('age')).toBe('0');
  // Rounded up: a cache that is filled from it keeps it no longer.
  expect(await findCached(url, 64.1 * SECOND)).toBeUndefined();
  const aged = await findCached(url, 63.1 * SECOND);
  expect(Object.fromEntries(aged?.headers ?? [])).toMatchObject({
    age: '59',
    'cache-control': 'public, max-age=0, s-maxage=60',
  });
  expect([...(aged?.headers.keys() ?? [])]).not.toContain('x-read-at');
  expect(await aged?.text()).toBe('a document');
  expect(await findCached(url, 65 * SECOND)).toBeUndefined();
});

it('only what is public may be kept, for s-maxage or else max-age', () => {
  expect([
    lifetime('public, max-age=3600'),
    lifetime('public, max-age=0, s-maxage=60'),
    lifetime('public, max-age=31536000, immutable'),
    lifetime('max-age=60'),
    lifetime('no-store'),
    lifetime('no-cache'),
    lifetime(),
  ]).toEqual([3_600, 60, 31_536_000, 0, 0, 0, 0]);
});

it('what was read before a change is not kept after it', async () => {
  const url = newUrl();
  const policy = 'public, max-age=0, s-maxage=60';
  const mark = await changeMark(url);
  await dropChanged(url);
  expect(await putUnlessChanged(url, reply(policy, 'old'), 0, mark)).toBe(false);
  expect(await findCached(url, 0)).toBeUndefined();
  expect(await putUnlessChanged(url, reply(policy, 'new'), 0, await changeMark(url))).toBe(true);
  expect(await (await findCached(url, 0))?.text()).toBe('new');
});
