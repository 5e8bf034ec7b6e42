import { describe, expect, it } from 'vitest';
import { isOutOfPatience, nextTryAt } from './holds.ts';

const settings = { FUNDS_PATIENCE_HOURS: 24, INACTIVE_PATIENCE_HOURS: 24, NOT_NOW_PATIENCE_HOURS: 24 };
const HOUR = 3_600_000;

describe('a hold', () => {
  it('is looked at again after pauses that grow, within a minute', () => {
    const pauses = [0, 1, 2, 5, 100].map((tries) => nextTryAt('not-now', tries, 0).getTime());
    expect(pauses).toEqual([1_000, 2_000, 4_000, 32_000, 60_000]);
  });

  it('ends after its time, counted for its own reason only', () => {
    const held = { holdReason: 'funds', heldSince: new Date(0) } as const;
    expect(isOutOfPatience(held, 'funds', settings, 24 * HOUR)).toBe(true);
    expect(isOutOfPatience(held, 'funds', settings, 24 * HOUR - 1)).toBe(false);
    expect(isOutOfPatience(held, 'inactive', settings, 48 * HOUR)).toBe(false);
  });

  it('for fees above the cap, a pause or a limit never ends by itself', () => {
    for (const holdReason of ['fee-cap', 'paused'] as const) {
      const held = { holdReason, heldSince: new Date(0) };
      expect(isOutOfPatience(held, holdReason, settings, 1e6 * HOUR)).toBe(false);
    }
  });
});
