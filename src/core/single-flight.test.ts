import { describe, expect, it } from 'vitest';
import { readTogether } from './single-flight.ts';

/** Reads numbers by name and records the names of each read. */
function numbers() {
  const asked: string[][] = [];
  const read = readTogether((names) => {
    asked.push([...names]);
    if (names.includes('broken')) return Promise.reject(new Error('down'));
    return Promise.resolve(new Map(names.filter((name) => /^\d+$/.test(name)).map((name) => [name, Number(name)])));
  });
  return { asked, read };
}

describe('readTogether', () => {
  it('reads once for all concurrent names, and returns each caller its own value', async () => {
    const { asked, read } = numbers();
    expect(await Promise.all(['1', 'none', '2', '1'].map(read))).toEqual([1, undefined, 2, 1]);
    expect(asked).toEqual([['1', 'none', '2']]);
  });

  it('reads again for a caller that arrives after a read has started', async () => {
    const { asked, read } = numbers();
    await read('1');
    await read('1');
    expect(asked).toEqual([['1'], ['1']]);
  });

  it('reads a bounded number of names at a time, and all of them', async () => {
    const { asked, read } = numbers();
    const names = Array.from({ length: 450 }, (_, index) => String(index));
    expect(await Promise.all(names.map(read))).toEqual(names.map(Number));
    expect(asked.map((some) => some.length)).toEqual([200, 200, 50]);
  });

  it('fails for the callers that share a failing read, and for no later ones', async () => {
    const { read } = numbers();
    const results = await Promise.allSettled(['1', 'broken'].map(read));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read('1')).toBe(1);
  });
});
