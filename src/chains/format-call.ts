import { decodeFunctionData, type Hex } from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';

const abi = [
  ...minimalForwarder.abi,
  ...standard721.abi,
  ...standard1155.abi,
  ...certificate721.abi,
  ...certificate1155.abi,
];

/** Formats the calldata of a function of one of our contracts as `name(arg, ...)`. */
export function formatCall(data: Hex): string {
  const { functionName, args } = decodeFunctionData({ abi, data });
  return `${functionName}(${args.map(String).join(', ')})`;
}
