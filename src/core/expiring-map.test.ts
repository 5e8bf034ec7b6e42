import { describe, expect, it } from 'vitest';
import { ExpiringMap } from './expiring-map.ts';

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
