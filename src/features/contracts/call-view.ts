import { decodeFunctionResult, encodeFunctionData, erc20Abi, erc721Abi, erc1155Abi } from 'viem';
import type { Abi } from 'viem';
import { z } from 'zod';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { abiParameterSchema, fromJson, toJson } from '../../chain/abi-values.ts';
import type { CallResult } from '../../chain/abi-values.ts';
import { requireAllowedChain } from '../../chain/allowed-chain.ts';
import { readOrUpstreamError } from '../../chain/read.ts';
import { invalidInput } from '../../http/domain-error.ts';
import type { InputFault } from '../../http/domain-error.ts';
import { addressField, chainIdField } from '../../http/fields.ts';
import type { TenantServices } from '../../services.ts';

const parameters = z.array(abiParameterSchema).max(64).default([]);

/** An item of an ABI from outside; what is neither a function nor an error plays no part in a read. */
const abiItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    name: z.string().min(1).max(256),
    inputs: parameters,
    outputs: parameters,
    stateMutability: z.enum(['pure', 'view', 'nonpayable', 'payable']),
  }),
  z.object({ type: z.literal('error'), name: z.string().min(1).max(256), inputs: parameters }),
  z.object({ type: z.enum(['event', 'constructor', 'receive', 'fallback']) }),
]);
type AbiItem = z.output<typeof abiItem>;
type ViewFunction = Extract<AbiItem, { type: 'function' }>;

/** Specification, POST /contracts/read. */
export const viewCallInput = z
  .object({
    chainId: chainIdField,
    contractAddress: addressField,
    method: z.string().min(1).max(256).meta({ example: 'ownerOf' }),
    args: z
      .array(z.unknown())
      .max(64)
      .default([])
      .meta({ type: 'array', description: 'Whole numbers as decimal strings' }),
    abi: z
      .array(abiItem)
      .max(1_000)
      .optional()
      .meta({ type: 'array', description: 'Default: ERC-721, ERC-1155, ERC-20, the forwarder and the certificates' }),
  })
  .meta({ id: 'ReadContract' });

/** The standard ABIs first: where ours agree with them, they are the same function. */
const BUILT_IN: readonly AbiItem[] = z
  .array(abiItem)
  .parse([
    ...erc721Abi,
    ...erc1155Abi,
    ...erc20Abi,
    ...[standard721, standard1155, certificate721, certificate1155, minimalForwarder].flatMap(({ abi }) => [...abi]),
  ]);

/**
 * Calls a view function; costs no gas.
 * @returns the raw value: integers as decimal strings, bytes as hex, booleans as they are; several values as an array.
 * @throws {DomainError} `invalid` with every fault of the input, or with the contract's error when the call reverts;
 *   `upstream` where the chain does not answer.
 */
export async function callView({ chains }: TenantServices, input: z.output<typeof viewCallInput>): Promise<CallResult> {
  const { client } = requireAllowedChain(chains, input.chainId);
  const { view, args } = chooseFunction(input.abi ?? BUILT_IN, input.method, input.args);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed above into what viem asks of an ABI
  const abi = [view, ...(input.abi ?? BUILT_IN).filter(({ type }) => type === 'error')] as Abi;
  const data = encodeFunctionData({ abi, functionName: view.name, args });
  const [code, reply] = await readOrUpstreamError(
    () =>
      Promise.all([
        client.getCode({ address: input.contractAddress }),
        client.call({ to: input.contractAddress, data }),
      ]),
    abi,
  );
  if (code === undefined) throw invalidInput([{ path: 'contractAddress', message: 'has no contract on this chain' }]);
  if (reply.data === undefined) {
    throw invalidInput([{ path: 'method', message: `the contract does not answer to ${input.method}` }]);
  }
  try {
    return toJson(decodeFunctionResult({ abi, functionName: view.name, data: reply.data }));
  } catch {
    throw invalidInput([
      { path: 'abi', message: `the contract's answer is not what the ABI says ${view.name} returns` },
    ]);
  }
}

/** The view function of that name that takes these arguments; overloads are told apart by how many there are. */
function chooseFunction(
  abi: readonly AbiItem[],
  method: string,
  given: readonly unknown[],
): { view: ViewFunction; args: unknown[] } {
  const named = abi.filter((item): item is ViewFunction => item.type === 'function' && item.name === method);
  const views = named.filter(({ stateMutability }) => stateMutability === 'view' || stateMutability === 'pure');
  if (views.length === 0) {
    const message = named.length === 0 ? 'is not in the ABI' : 'is not a view function: it would change the chain';
    throw invalidInput([{ path: 'method', message }]);
  }
  const fitting = views.filter(({ inputs }) => inputs.length === given.length);
  if (fitting.length === 0) {
    const counts = [...new Set(views.map(({ inputs }) => inputs.length))].join(' or ');
    throw invalidInput([{ path: 'args', message: `${method} takes ${counts} arguments, not ${given.length}` }]);
  }
  let faults: InputFault[] = [];
  for (const view of fitting) {
    faults = [];
    const args = view.inputs.map((parameter, index) => fromJson(parameter, given[index], `args.${index}`, faults));
    if (faults.length === 0) return { view, args };
  }
  throw invalidInput(faults);
}
