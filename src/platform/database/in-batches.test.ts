import { expect, it } from 'vitest';
import { inBatches } from './in-batches.ts';

/** Changes tables with so many rows to change, for at most so many rounds. @returns what it did, in its order. */
async function run(tables: Readonly<Record<string, number>>, rounds = Infinity) {
  const steps: [string, number][] = [];
  const left = { ...tables };
  let checks = 0;
  const totals = await inBatches(
    Object.fromEntries(
      Object.keys(tables).map((name) => [
        name,
        async (limit: number) => {
          const changed = Math.min(limit, left[name] ?? 0);
          left[name] = (left[name] ?? 0) - changed;
          steps.push([name, changed]);
          return changed;
        },
      ]),
    ),
    () => (checks += 1) > rounds,
  );
  return { totals, left, steps };
}

it('rows are changed in batches until none is left, in each table in turn', async () => {
  const { totals, left, steps } = await run({ events: 4_500, logs: 2_500 });
  expect([totals, left]).toEqual([
    { events: 4_500, logs: 2_500 },
    { events: 0, logs: 0 },
  ]);
  const [full, rest] = [2_000, 500];
  expect(steps).toEqual([
    ['events', full],
    ['logs', full],
    ['events', full],
    ['logs', rest],
    ['events', rest],
  ]);
});

it('a run that is over leaves the rest to the next, with no table behind the others', async () => {
  const { totals } = await run({ events: 1_000_000, logs: 1_000_000 }, 3);
  expect(totals).toEqual({ events: 6_000, logs: 6_000 });
});
