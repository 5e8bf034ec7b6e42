import solc from 'solc';
import { describe, expect, it } from 'vitest';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { compileSolidity, standardJsonInput } from './compile-solidity.ts';

describe('the compiler', () => {
  it('treats a warning as an error and says where it is', () => {
    expect(() => compileSolidity(['test/contracts/fixtures/Careless.sol'])).toThrow(
      /Warning: Unused local variable[^]*Careless\.sol:7/u,
    );
  });

  it('is reproducible, and returns no contract that cannot be deployed', () => {
    const [first, second] = [0, 1].map(() =>
      compileSolidity(['contracts/base/IERC5192.sol', 'contracts/Standard721.sol']),
    );
    expect(first).toEqual(second);
    expect(first?.map(({ contractName }) => contractName)).toEqual(['Standard721']);
  });

  it('puts no hash of the sources into the bytecode, so that comments do not change it', () => {
    const [contract] = compileSolidity(['contracts/MinimalForwarder.sol']);
    // It ends with the compiler's version only: {"solc": 0.8.37} in CBOR, and its length.
    expect(contract?.bytecode).toMatch(/a164736f6c63430008250000?0a$|a164736f6c6343000825000a$/u);
  });
});

describe('the Standard JSON input of a contract', () => {
  it.each([standard721, standard1155, certificate721, certificate1155, minimalForwarder])(
    'compiles, by itself and with nothing else to read, to the bytecode of the artifact: $contractName',
    ({ contractName, bytecode }) => {
      const source = `contracts/${contractName}.sol`;
      const input = JSON.stringify(standardJsonInput([source]));
      const { contracts } = JSON.parse(String(solc.compile(input))) as {
        contracts: Record<string, Record<string, { evm: { bytecode: { object: string } } }>>;
      };
      expect(`0x${contracts[source]?.[contractName]?.evm.bytecode.object}`).toBe(bytecode);
    },
    20_000,
  );
});
