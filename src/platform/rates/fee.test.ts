import { describe, expect, it } from 'vitest';
import { feeColumnsOf, feeOf } from './fee.ts';

describe('feeOf', () => {
  it.each([
    [21_000n, 25_000_000_000n, '0.000525'],
    [1n, 1n, '0.000000000000000001'],
    [0n, 25_000_000_000n, '0'],
    [1_000_000n, 1_000_000_000_000n, '1'],
    // More digits than a floating-point number can hold.
    [123_456_789n, 987_654_321_987_654_321n, '121932631.234567900112635269'],
  ])('%i gas at %i wei is %s coins, to the last digit', (gasUsed, price, coins) => {
    expect(feeOf(gasUsed, price, null)).toMatchObject({ gasUsed: gasUsed.toString(), totalFeeNative: coins });
  });

  it('multiplies the coins by each price', () => {
    const fee = feeOf(100_000n, 25_000_000_000n, { usd: 20, krw: 30_000 });
    expect(fee).toMatchObject({ totalFeeNative: '0.0025', nativePriceUsd: 20, nativePriceKrw: 30_000 });
    expect(fee.totalFeeUsd).toBeCloseTo(0.05, 12);
    expect(fee.totalFeeKrw).toBeCloseTo(75, 12);
  });

  it('has the fee in coins and null for the rest when no rate is available', () => {
    expect(feeOf(100_000n, 25_000_000_000n, null)).toEqual({
      gasUsed: '100000',
      totalFeeNative: '0.0025',
      nativePriceUsd: null,
      totalFeeUsd: null,
      nativePriceKrw: null,
      totalFeeKrw: null,
    });
  });
});

describe('feeColumnsOf', () => {
  it('is all null when nothing was mined', () => {
    expect(new Set(Object.values(feeColumnsOf(undefined)))).toEqual(new Set([null]));
  });
});
