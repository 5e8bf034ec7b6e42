import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

describe('BoundedMap', () => {
  it('holds up to its capacity and drops the entry set longest ago', () => {
    const map = new BoundedMap<string, number>(3);
    for (const [index, key] of ['first', 'second', 'first', 'third', 'fourth'].entries()) map.set(key, index);
    expect([...map]).toEqual([
      ['first', 2],
      ['third', 3],
      ['fourth', 4],
    ]);
  });

  it('drops nothing when a key it holds is set again', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('b', 3);
    expect([...map.keys()]).toEqual(['a', 'b']);
  });
});
