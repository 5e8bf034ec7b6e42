import { describe, expect, it } from 'vitest';
import type { InputFault } from './domain-error.ts';
import { listedFaults } from './listed-faults.ts';

const MAX_FAULTS = 1_000;
const MAX_FAULT_BYTES = 512 * 1_024;

const faults = (count: number, path = 'field') =>
  Array.from({ length: count }, (_, index): InputFault => ({ path: `${path}.${index}`, message: 'is wrong' }));

describe('the faults that an error lists', () => {
  it('are all of them, up to 1,000', () => {
    for (const count of [0, 1, MAX_FAULTS]) expect(listedFaults(faults(count))).toEqual(faults(count));
  });

  it('are the first of them where there are more, and a last entry that says how many more', () => {
    expect(listedFaults(faults(MAX_FAULTS + 1), '$')).toEqual([
      ...faults(MAX_FAULTS - 1),
      { path: '$', message: 'faults not listed: 2' },
    ]);
    expect(listedFaults(faults(50_000)).at(-1)).toEqual({ path: '', message: 'faults not listed: 49001' });
  });

  it('are fewer where they are long, in the bytes that are sent', () => {
    for (const path of ['x'.repeat(2_000), '\u0001'.repeat(2_000), '한'.repeat(2_000)]) {
      const listed = listedFaults(faults(1_000, path));
      expect(listed.length).toBeGreaterThan(40);
      expect(new TextEncoder().encode(JSON.stringify(listed)).length).toBeLessThan(MAX_FAULT_BYTES + 1_000);
      expect(listed.at(-1)?.message).toBe(`faults not listed: ${1_001 - listed.length}`);
    }
  });

  it('keep what else they carry, the last entry too', () => {
    const metadata = faults(2_000).map((fault) => ({ ...fault, type: 'Ticket' }));
    expect(listedFaults(metadata).at(-1)).toMatchObject({ type: 'Ticket' });
  });
});
