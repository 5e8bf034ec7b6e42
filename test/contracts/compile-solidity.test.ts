import { describe, expect, it } from 'vitest';
import { compileSolidity } from '../../scripts/contracts/compile-solidity.ts';

describe('the compiler', () => {
  it('takes a warning for an error, and says where it is', () => {
    expect(() => compileSolidity(['test/contracts/fixtures/Careless.sol'])).toThrow(
      /Warning: Unused local variable[^]*Careless\.sol:7/u,
    );
  });

  it('gives the same bytes wherever and whenever it runs, and no contract that cannot be deployed', () => {
    const [first, second] = [0, 1].map(() =>
      compileSolidity(['contracts/base/IERC5192.sol', 'contracts/Standard721.sol']),
    );
    expect(first).toEqual(second);
    expect(first?.map(({ contractName }) => contractName)).toEqual(['Standard721']);
  });

  it('keeps no hash of the sources in the bytecode, so that a comment changes nothing', () => {
    const [contract] = compileSolidity(['contracts/MinimalForwarder.sol']);
    // The end names the compiler's version and nothing else: {"solc": 0.8.37} in CBOR, and its length.
    expect(contract?.bytecode).toMatch(/a164736f6c63430008250000?0a$|a164736f6c6343000825000a$/u);
  });
});
