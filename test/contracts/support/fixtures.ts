import { type CompiledContract, compileSolidity } from '../../../scripts/contracts/compile-solidity.ts';

/**
 * Compiles test contracts on the fly.
 *
 * @param files Names of files in test/contracts/fixtures.
 * @returns a function that returns a contract of these files by name.
 */
export function compileFixtures(...files: string[]): (contractName: string) => CompiledContract {
  const contracts = new Map(
    compileSolidity(files.map((file) => `test/contracts/fixtures/${file}`)).map((contract) => [
      contract.contractName,
      contract,
    ]),
  );
  return (contractName) => {
    const contract = contracts.get(contractName);
    if (contract === undefined) throw new Error(`no contract ${contractName} in ${files.join(', ')}`);
    return contract;
  };
}
