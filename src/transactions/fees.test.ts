import { describe, expect, it } from 'vitest';
import { gasLimitFor, gasPriceAt, raised } from './fees.ts';

describe('gasPriceAt', () => {
  it('outlasts five full blocks, each of which raises the base fee by an eighth', () => {
    const { maxFeePerGas } = gasPriceAt({ baseFeePerGas: 25_000_000_000n }, 1_000_000_000n);
    const afterFive = (25_000_000_000n * 9n ** 5n) / 8n ** 5n;
    expect(maxFeePerGas).toBeGreaterThanOrEqual(afterFive + 1_000_000_000n);
  });
});

describe('raised', () => {
  it('offers at least an eighth more than before, also for the smallest fees', () => {
    for (const before of [1n, 7n, 8n, 1_000_000_007n]) {
      const offer = { maxFeePerGas: before, maxPriorityFeePerGas: before };
      const { maxFeePerGas, maxPriorityFeePerGas } = raised(offer, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
      expect(maxFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n);
      expect(maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n);
    }
  });

  it('offers what is asked now where that is more', () => {
    const now = { maxFeePerGas: 100n, maxPriorityFeePerGas: 50n };
    expect(raised({ maxFeePerGas: 10n, maxPriorityFeePerGas: 10n }, now)).toEqual(now);
  });
});

describe('gasLimitFor', () => {
  it('leaves a quarter over the estimate', () => {
    expect(gasLimitFor(100_000n)).toBe(125_000n);
  });

  it('leaves a margin only over the part of the estimate that can change', () => {
    expect(gasLimitFor(600_000n, 500_000n)).toBe(625_000n);
  });
});
