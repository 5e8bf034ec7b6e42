import { expect, it } from 'vitest';
import { inBatches } from './in-batches.ts';

/** What a table with so many rows to change sees. */
async function run(rows: number) {
  const limits: number[] = [];
  let left = rows;
  const total = await inBatches(async (limit) => {
    limits.push(limit);
    const changed = Math.min(limit, left);
    left -= changed;
    return changed;
  });
  return { total, left, limits };
}

it('rows are changed in batches until none is left', async () => {
  const { total, left, limits } = await run(4_500);
  expect([total, left, limits]).toEqual([4_500, 0, [2_000, 2_000, 2_000]]);
});

it('one run changes a bounded number of rows, whatever the backlog', async () => {
  const { total, limits } = await run(1_000_000);
  expect([total, limits.length]).toEqual([60_000, 30]);
});
