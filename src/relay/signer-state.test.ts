import { describe, expect, it } from 'vitest';
import { nearNonces, nextNonce } from './signer-state.ts';

describe('the next nonce of a signer', () => {
  it("is the forwarder's nonce when no request is open", () => {
    expect(nextNonce(4n, [])).toBe(4n);
  });

  it('comes after requests that are accepted and not settled', () => {
    expect(nextNonce(4n, [5n, 4n])).toBe(6n);
  });

  it('does not count a request twice that is mined and not settled yet', () => {
    expect(nextNonce(5n, [4n])).toBe(5n);
    expect(nextNonce(5n, [4n, 5n])).toBe(6n);
  });

  it('fills the gap of a request that was given up', () => {
    expect(nextNonce(4n, [5n, 6n])).toBe(4n);
  });
});

describe('the nonces near the expected one', () => {
  it('are on both sides, nearest first, and not below zero', () => {
    expect(nearNonces(2n, 3n)).toEqual([2n, 3n, 1n, 4n, 0n, 5n]);
  });
});
