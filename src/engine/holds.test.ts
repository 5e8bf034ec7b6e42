import { describe, expect, it } from 'vitest';
import { isHoldExpired, nextTryAt } from './holds.ts';

const settings = { FUNDS_PATIENCE_HOURS: 24, INACTIVE_PATIENCE_HOURS: 24, NOT_NOW_PATIENCE_HOURS: 24 };
const HOUR = 3_600_000;

describe('a hold', () => {
  it('is retried with exponential backoff of at most a minute', () => {
    const delays = [0, 1, 2, 5, 100].map((tries) => nextTryAt('not-now', tries, 0).getTime());
    expect(delays).toEqual([1_000, 2_000, 4_000, 32_000, 60_000]);
  });

  it('expires after its limit, measured for its own reason only', () => {
    const held = { holdReason: 'funds', heldSince: new Date(0) } as const;
    expect(isHoldExpired(held, 'funds', settings, 24 * HOUR)).toBe(true);
    expect(isHoldExpired(held, 'funds', settings, 24 * HOUR - 1)).toBe(false);
    expect(isHoldExpired(held, 'inactive', settings, 48 * HOUR)).toBe(false);
  });

  it('for a fee cap or a paused account never expires', () => {
    for (const holdReason of ['fee-cap', 'paused'] as const) {
      const held = { holdReason, heldSince: new Date(0) };
      expect(isHoldExpired(held, holdReason, settings, 1e6 * HOUR)).toBe(false);
    }
  });
});
