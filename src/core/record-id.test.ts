import { describe, expect, it } from 'vitest';
import { newId, idAt, RECORD_ID } from './record-id.ts';

describe('newId', () => {
  it('makes unique ids of 24 hex characters', () => {
    const ids = Array.from({ length: 1_000 }, () => newId(1_700_000_000_000));
    for (const id of ids) expect(id).toMatch(RECORD_ID);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('makes ids that sort by creation time', () => {
    const times = [0, 1, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000];
    const ids = times.map((time) => newId(time));
    expect(ids.toSorted()).toEqual(ids);
    for (const [index, time] of times.entries()) {
      expect(idAt(time) <= (ids[index] ?? '')).toBe(true);
      expect((ids[index] ?? '') < idAt(time + 1)).toBe(true);
    }
  });
});
