import { expect, it, vi } from 'vitest';
import { Turns } from './turns.ts';

/** What has begun, in order. */
function recorder(turns: Turns) {
  const begun: string[] = [];
  const request = async (key: string, name: string) => {
    await turns.take(key);
    begun.push(name);
  };
  return { begun, request };
}

it('lets a request begin at once, and the next one when all that is ready has run', async () => {
  const { begun, request } = recorder(new Turns());
  const requests = [request('a', 'first'), request('a', 'second')];
  await requests[0];
  for (let step = 0; step < 100; step += 1) await Promise.resolve();
  expect(begun).toEqual(['first']);
  await Promise.all(requests);
  expect(begun).toEqual(['first', 'second']);
});

it('lets keys take turns, and the requests of a key in order', async () => {
  const { begun, request } = recorder(new Turns());
  const many = ['a1', 'a2', 'a3', 'a4'].map((name) => request('a', name));
  await Promise.all([...many, request('b', 'b1'), request('b', 'b2'), request('c', 'c1')]);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('goes on beyond the turns that one request gives, and is idle after that', async () => {
  const { begun, request } = recorder(new Turns());
  await Promise.all(Array.from({ length: 450 }, (_, index) => request('a', String(index))));
  expect(begun).toEqual(Array.from({ length: 450 }, (_, index) => String(index)));
  await scheduler.wait(50);
  const wait = vi.spyOn(scheduler, 'wait');
  await request('a', 'last');
  expect(begun.at(-1)).toBe('last');
  expect(wait.mock.calls).toEqual([[0]]);
  wait.mockRestore();
});

/** The most that begin between two turns of the event loop, after the first. */
async function mostAtOnce(begun: readonly string[], count: number): Promise<number> {
  let most = 0;
  for (let seen = begun.length; begun.length < count; seen = begun.length) {
    await scheduler.wait(0);
    most = Math.max(most, begun.length - seen);
  }
  return most;
}

it('goes on, one at a time, when the request that gives the turns is lost while many wait', async () => {
  const { begun, request } = recorder(new Turns());
  const lost = vi.spyOn(scheduler, 'wait').mockReturnValueOnce(new Promise(() => {}));
  await request('a', 'lost');
  lost.mockRestore();
  const requests = Array.from({ length: 100 }, (_, index) => request('a', String(index)));
  expect(await mostAtOnce(begun, 101)).toBeLessThanOrEqual(2);
  await Promise.all(requests);
});
