import { describe, expect, it } from 'vitest';
import { compileSolidity } from './compile-solidity.ts';

describe('the compiler', () => {
  it('treats a warning as an error and says where it is', () => {
    expect(() => compileSolidity(['test/contracts/fixtures/Careless.sol'])).toThrow(
      /Warning: Unused local variable[^]*Careless\.sol:7/u,
    );
  });

  it('is reproducible, and returns no contract that cannot be deployed', () => {
    const [first, second] = [0, 1].map(() =>
      compileSolidity(['contracts/base/IERC5192.sol', 'contracts/MinimalForwarder.sol']),
    );
    expect(first).toEqual(second);
    expect(first?.map(({ contractName }) => contractName)).toEqual(['MinimalForwarder']);
  });

  it('puts no hash of the sources into the bytecode, so that comments do not change it', () => {
    const [contract] = compileSolidity(['contracts/MinimalForwarder.sol']);
    // It ends with the compiler's version only: {"solc": 0.8.37} in CBOR, and its length.
    expect(contract?.bytecode).toMatch(/a164736f6c63430008250000?0a$|a164736f6c6343000825000a$/u);
  });
});
