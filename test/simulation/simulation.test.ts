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

const verdictOf = (seed: string, isCalm = false) => simulate({ seed, bundle, database, isCalm });

describe('a simulation', () => {
  it('is the same for the same seed, whatever ran before it', async () => {
    const first = await verdictOf('7');
    const other = await verdictOf('8');
    const again = await verdictOf('7');
    expect(again.hash).toBe(first.hash);
    expect(other.hash).not.toBe(first.hash);
  });

  it('in which nothing fails carries out every order that nobody cancels', async () => {
    const { violation, orders } = await verdictOf('1', true);
    expect(violation).toBeUndefined();
    expect(orders).toBeGreaterThan(0);
  });
});
