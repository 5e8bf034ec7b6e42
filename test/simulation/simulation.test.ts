import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { mutate } from './mutate.ts';
import { simulate } from './simulate.ts';
import { bundleWorker, type Bundle } from './world/bundle.ts';
import { Database } from './world/database.ts';
import { OneConnection } from './world/one-connection.ts';

let bundle: Bundle;
let database: Database;

beforeAll(async () => {
  [bundle, database] = await Promise.all([bundleWorker(), Database.start(await OneConnection.start())]);
});
afterAll(() => database.stop());

const resultOf = (seed: string, isCalm = false) => simulate({ seed, bundle, database, isCalm });

describe('a simulation', () => {
  it('is the same for the same seed, whatever ran before, and without faults executes every order that nobody cancels', async () => {
    const first = await resultOf('2023');
    const calm = await resultOf('1', true);
    const again = await resultOf('2023');
    expect(again.hash).toBe(first.hash);
    expect(calm.hash).not.toBe(first.hash);
    expect(calm.violation).toBeUndefined();
    expect(calm.orders).toBeGreaterThan(0);
  });
});

describe('a mutant', () => {
  it.each(mutants)('applies to the sources: $name', (mutant) => {
    expect(() => mutate(mutant)).not.toThrow();
  });

  it('that sends attempts before they are stored is caught', async () => {
    const mutant = mutants.find(({ name }) => name === 'attempts are sent before they are stored');
    if (mutant === undefined) throw new Error('The list has this mutant');
    const { violation } = await simulate({ seed: '1', bundle: await bundleWorker([mutate(mutant)]), database });
    expect(violation?.invariant).toBe('sent bytes are stored');
  });
});
