import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulate } from './simulate.ts';
import { bundleWorker } from './world/bundle.ts';
import type { Bundle } from './world/bundle.ts';
import { Database } from './world/database.ts';

let bundle: Bundle;
let database: Database;

beforeAll(async () => {
  [bundle, database] = await Promise.all([bundleWorker(), Database.start()]);
});
afterAll(() => database.stop());

const resultOf = (seed: string, isCalm = false) => simulate({ seed, bundle, database, isCalm });

describe('a simulation', () => {
  it('is the same for the same seed, whatever ran before', async () => {
    const first = await resultOf('7');
    const other = await resultOf('8');
    const again = await resultOf('7');
    expect(again.hash).toBe(first.hash);
    expect(other.hash).not.toBe(first.hash);
  });

  it('without faults executes every order that nobody cancels', async () => {
    const { violation, orders } = await resultOf('1', true);
    expect(violation).toBeUndefined();
    expect(orders).toBeGreaterThan(0);
  });
});
