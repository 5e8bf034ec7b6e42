import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { mutate } from './mutate.ts';
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
    const first = await verdictOf('2023');
    const other = await verdictOf('2004');
    const again = await verdictOf('2023');
    expect(again.hash).toBe(first.hash);
    expect(other.hash).not.toBe(first.hash);
  });

  it('in which nothing fails carries out every order', async () => {
    const { violation, orders } = await verdictOf('1', true);
    expect(violation).toBeUndefined();
    expect(orders).toBeGreaterThan(0);
  });
});

describe('a mutant', () => {
  it.each(mutants)('fits the sources: $name', (mutant) => {
    expect(() => mutate(mutant)).not.toThrow();
  });

  it('that sends bytes before they are stored is caught', async () => {
    const mutant = mutants.find(({ name }) => name === 'bytes are sent before they are stored');
    if (mutant === undefined) throw new Error('The list has this mutant');
    const { violation } = await simulate({ seed: '1', bundle: await bundleWorker([mutate(mutant)]), database });
    expect(violation?.invariant).toBe('sent bytes are stored');
  });
});
