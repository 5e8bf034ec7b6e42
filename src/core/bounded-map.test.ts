import { describe, expect, it } from 'vitest';
import { BoundedMap, ExpiringMap } from './bounded-map.ts';

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

describe('ExpiringMap', () => {
  it('holds a value for its lifetime, counted from when it was true', () => {
    const map = new ExpiringMap<string>(50, 10);
    map.set('a', 'value', 5_000);
    expect([5_000, 5_049, 5_050].map((now) => map.get('a', now))).toEqual(['value', 'value', undefined]);
    expect(map.get('b', 5_000)).toBeUndefined();
  });

  it('forgets a deleted value', () => {
    const map = new ExpiringMap<string>(50, 10);
    map.set('a', 'value', 0);
    map.delete('a');
    expect(map.get('a', 0)).toBeUndefined();
  });

  it('holds at most its capacity', () => {
    const map = new ExpiringMap<number>(50, 1);
    map.set('a', 1, 0);
    map.set('b', 2, 0);
    expect([map.get('a', 0), map.get('b', 0)]).toEqual([undefined, 2]);
  });
});
