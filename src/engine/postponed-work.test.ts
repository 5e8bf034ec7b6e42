import { describe, expect, it } from 'vitest';
import { PostponedWork } from './postponed-work.ts';

const work = (ends: number) => ({ ends, run: () => Promise.resolve() });

describe('postponed work', () => {
  it('waits, and is taken in its order', () => {
    const postponed = new PostponedWork();
    const [first, second] = [work(1_000), work(1_000)];
    expect([postponed.add(first), postponed.add(second)]).toEqual([[], []]);
    expect([postponed.take(), postponed.take(), postponed.take()]).toEqual([first, second, undefined]);
  });

  it('no longer waits when that of more than 2,000 ends does: the oldest is due first', () => {
    const postponed = new PostponedWork();
    const [first, second, third] = [work(900), work(1_100), work(1)];
    postponed.add(first);
    postponed.add(second);
    expect(postponed.add(third)).toEqual([first]);
    expect(postponed.take()).toBe(second);
    expect(postponed.add(work(2_001))).toHaveLength(2);
    expect(postponed.take()).toBeUndefined();
  });
});
