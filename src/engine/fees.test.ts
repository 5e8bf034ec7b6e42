import { describe, expect, it } from 'vitest';
import { GWEI } from '../chains/definition.ts';
import { gasLimitFor, offerAt, replacementOf } from './fees.ts';

const cap = { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: 5n * GWEI };

describe('an offer', () => {
  it('covers five full blocks in a row, each of which raises the base fee by an eighth', () => {
    const offer = offerAt({ baseFee: 25n * GWEI, tip: GWEI }, cap);
    expect(offer?.maxFeePerGas).toBeGreaterThanOrEqual((25n * GWEI * 9n ** 5n) / 8n ** 5n + GWEI);
  });

  it('is within the cap, and is not made if it is too low for the next block', () => {
    expect(offerAt({ baseFee: 400n * GWEI, tip: GWEI }, cap)?.maxFeePerGas).toBe(cap.maxFeePerGas);
    expect(offerAt({ baseFee: 450n * GWEI, tip: GWEI }, cap)).toBeUndefined();
    expect(offerAt({ baseFee: GWEI, tip: 90n * GWEI }, cap)?.maxPriorityFeePerGas).toBe(cap.maxPriorityFeePerGas);
  });
});

describe('a replacement', () => {
  it('raises both fees by at least an eighth, even the smallest', () => {
    for (const before of [1n, 7n, 8n, 1_000_000_007n]) {
      const offer = replacementOf(
        { maxFeePerGas: before, maxPriorityFeePerGas: before },
        { baseFee: 0n, tip: 0n },
        cap,
        10,
      );
      expect((offer?.maxFeePerGas ?? 0n) * 8n).toBeGreaterThanOrEqual(before * 9n);
      expect((offer?.maxPriorityFeePerGas ?? 0n) * 8n).toBeGreaterThanOrEqual(before * 9n);
    }
  });

  it("applies the chain's price bump if it is larger", () => {
    const before = { maxFeePerGas: GWEI, maxPriorityFeePerGas: 100n };
    const offer = replacementOf(before, { baseFee: 0n, tip: 0n }, cap, 100);
    expect(offer?.maxFeePerGas).toBeGreaterThanOrEqual(2n * GWEI);
  });

  it('is not made above the cap', () => {
    const before = { maxFeePerGas: 460n * GWEI, maxPriorityFeePerGas: GWEI };
    expect(replacementOf(before, { baseFee: GWEI, tip: GWEI }, cap, 10)).toBeUndefined();
  });
});

describe('a gas limit', () => {
  it('leaves a quarter of the estimate, but no less than a receiver can add, and is never above the ceiling', () => {
    expect(gasLimitFor(200_000n, 1_000_000n)).toBe(250_000n);
    expect(gasLimitFor(57_000n, 1_000_000n)).toBe(97_000n);
    expect(gasLimitFor(900_000n, 1_000_000n)).toBe(1_000_000n);
  });
});
