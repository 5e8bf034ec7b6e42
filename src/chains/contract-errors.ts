import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import type { AbiItem } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import type { AbiParameterJson } from './abi-parameter.ts';

/** An error that a contract can revert with. */
export interface ContractError {
  readonly name: string;
  readonly inputs: readonly AbiParameterJson[];
}

/**
 * Selector -> error: Solidity's two built-in errors and those of every contract the service deploys. Used to decode revert
 * data.
 */
export const contractErrors: ReadonlyMap<string, ContractError> = new Map(
  [
    { name: 'Error', inputs: [{ type: 'string' }] },
    { name: 'Panic', inputs: [{ type: 'uint256' }] },
    ...[standard721, standard1155, certificate721, certificate1155, minimalForwarder]
      .flatMap(({ abi }) => abi as readonly AbiItem[])
      .filter((item) => item.type === 'error'),
  ].map((error) => [selectorOf(error), error]),
);
