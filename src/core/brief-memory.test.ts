import { describe, expect, it } from 'vitest';
import { createBriefMemory } from './brief-memory.ts';

describe('createBriefMemory', () => {
  it('holds a value for its lifetime, counted from when it was true', () => {
    const memory = createBriefMemory<string>(50, 10);
    memory.set('a', 'value', 5_000);
    expect([5_000, 5_049, 5_050].map((now) => memory.get('a', now))).toEqual(['value', 'value', undefined]);
    expect(memory.get('b', 5_000)).toBeUndefined();
  });

  it('forgets a deleted value', () => {
    const memory = createBriefMemory<string>(50, 10);
    memory.set('a', 'value', 0);
    memory.delete('a');
    expect(memory.get('a', 0)).toBeUndefined();
  });

  it('holds as many values as its capacity, and drops those set longest ago', () => {
    const memory = createBriefMemory<number>(50, 3);
    for (const [index, key] of ['first', 'second', 'first', 'third', 'fourth'].entries()) memory.set(key, index, 0);
    expect(['first', 'second', 'third', 'fourth'].map((key) => memory.get(key, 0))).toEqual([2, undefined, 3, 4]);
  });
});
