import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

const LONG_MS = 60_000;

it('gives a released slot to whoever has waited longest', async () => {
  const slots = new Slots(1);
  expect(await slots.acquire(0)).toBe(true);
  const acquired: string[] = [];
  const wait = async (name: string) => {
    await slots.acquire(LONG_MS);
    acquired.push(name);
  };
  const both = [wait('first'), wait('second')] as const;
  slots.release();
  await both[0];
  expect(acquired).toEqual(['first']);
  slots.release();
  await both[1];
});

it('gives no slot to whoever no longer waits', async () => {
  const slots = new Slots(1);
  await slots.acquire(0);
  expect(await slots.acquire(1)).toBe(false);
  slots.release();
  expect(await slots.acquire(0)).toBe(true);
  expect(await slots.acquire(1)).toBe(false);
});
