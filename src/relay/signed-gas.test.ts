import { describe, expect, it } from 'vitest';
import { signedGas } from './signed-gas.ts';

describe('the gas to sign for', () => {
  it.each([
    [57_760n, 69_312n],
    [57_761n, 69_314n],
  ])('is 1.2 times the estimate, rounded up: %d', (estimate, gas) => {
    expect(signedGas(estimate, 1_000_000n)).toBe(gas);
  });

  it('is never below the least and never above the most that may be signed', () => {
    expect(signedGas(21_000n, 1_000_000n)).toBe(30_000n);
    expect(signedGas(900_000n, 1_000_000n)).toBe(1_000_000n);
    expect(signedGas(1_000_000n, 1_000_000n)).toBe(1_000_000n);
  });

  it('is not given for a call that needs more than may be signed; both numbers are', () => {
    expect(signedGas(1_000_001n, 1_000_000n)).toEqual({
      path: 'contractAddress',
      message: 'needs 1000001 gas for this call, above the ceiling of 1000000',
    });
  });
});
