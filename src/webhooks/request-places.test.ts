import { expect, it } from 'vitest';
import { RequestPlaces } from './request-places.ts';

const LONG_MS = 60_000;

it('gives a place that is left to the one that has waited longest', async () => {
  const places = new RequestPlaces(1);
  expect(await places.take(0)).toBe(true);
  const taken: string[] = [];
  const wait = async (name: string) => {
    await places.take(LONG_MS);
    taken.push(name);
  };
  const both = [wait('first'), wait('second')] as const;
  places.leave();
  await both[0];
  expect(taken).toEqual(['first']);
  places.leave();
  await both[1];
});

it('gives no place to one that no longer waits', async () => {
  const places = new RequestPlaces(1);
  await places.take(0);
  expect(await places.take(1)).toBe(false);
  places.leave();
  expect(await places.take(0)).toBe(true);
  expect(await places.take(1)).toBe(false);
});
