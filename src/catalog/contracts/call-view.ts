import { concatHex, encodeAbiParameters, erc20Abi, erc721Abi, erc1155Abi, size, type AbiParameter } from 'viem';
import { z } from 'zod';
import { certificate1155 } from '../../../contracts/artifacts/Certificate1155.ts';
import { certificate721 } from '../../../contracts/artifacts/Certificate721.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { standard1155 } from '../../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import {
  ABI_NAME,
  ABI_PARAMETER_NAME,
  ABI_TYPE,
  MAX_PARAMETERS,
  abiNameField,
  abiParametersField,
  selectorOf,
} from '../../chains/abi-parameter.ts';
import { parseAbiArguments } from '../../chains/abi-values.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { RESPONSE_TOO_LARGE, withChainErrors, CALL_GAS } from '../../chains/contract-reads.ts';
import { AbiDecodingError, MAX_ABI_BYTES, decodeAbi, type AbiValue } from '../../chains/decode-abi.ts';
import { broken } from '../../core/validation-messages.ts';
import { DomainError, invalidInput, listedIssues, type InputIssue } from '../../core/domain-error.ts';
import { addressField, chainIdField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';

const MAX_ARGUMENTS = 64;
const MAX_ABI_ITEMS = 1_000;
/** The most values in the arguments of a call, members of arrays and tuples included. */
const MAX_VALUES = 1_000;

const parameters = abiParametersField.default([]);

/** An item of a caller's ABI. Only functions and errors matter to a read. */
const abiItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('function'),
    name: abiNameField,
    inputs: parameters,
    outputs: parameters,
    stateMutability: z.enum(['pure', 'view', 'nonpayable', 'payable']),
  }),
  z.object({ type: z.literal('error'), name: abiNameField, inputs: parameters }),
  z.object({ type: z.enum(['event', 'constructor', 'receive', 'fallback']) }),
]);
type AbiItem = z.output<typeof abiItem>;
type ViewFunction = Extract<AbiItem, { type: 'function' }>;

const shownParameters = (description: string) => ({
  type: 'array' as const,
  maxItems: MAX_PARAMETERS,
  description,
  items: {
    type: 'object' as const,
    required: ['type'],
    properties: {
      type: { type: 'string' as const, pattern: ABI_TYPE.source, description: 'Solidity type', example: 'uint256' },
      name: {
        type: 'string' as const,
        pattern: ABI_PARAMETER_NAME.source,
        description: 'Name of the parameter',
        example: 'tokenId',
      },
      components: {
        type: 'array' as const,
        maxItems: MAX_PARAMETERS,
        items: { type: 'object' as const },
        description: 'Members of a tuple, in this form',
      },
    },
  },
});

const shownItem = (
  type: { readonly enum: string[]; readonly description: string },
  required: string[] = [],
  properties: object = {},
) => ({
  type: 'object' as const,
  required: ['type', ...required],
  properties: { type: { type: 'string' as const, ...type }, ...properties },
});

const shownName = { type: 'string' as const, pattern: ABI_NAME.source, description: 'Its name', example: 'ownerOf' };

/** {@link abiItem} for the API document, without recursion. */
const SHOWN_ABI_ITEM = {
  oneOf: [
    shownItem({ enum: ['function'], description: 'A function' }, ['name', 'stateMutability'], {
      name: shownName,
      inputs: shownParameters('Parameters'),
      outputs: shownParameters('Results'),
      stateMutability: {
        type: 'string' as const,
        enum: ['pure', 'view', 'nonpayable', 'payable'],
        description: 'Only pure and view functions can be called',
      },
    }),
    shownItem({ enum: ['error'], description: 'An error, used to explain a revert' }, ['name'], {
      name: shownName,
      inputs: shownParameters('Parameters'),
    }),
    shownItem({ enum: ['event', 'constructor', 'receive', 'fallback'], description: 'Ignored, with all its members' }),
  ],
};

/** Specification, POST /contracts/read. */
export const viewCallInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: addressField,
    method: abiNameField.meta({ description: 'Name of the function', example: 'ownerOf' }),
    args: z
      .array(z.unknown().refine((value) => value !== null, 'must not be null'))
      .max(MAX_ARGUMENTS)
      .refine(
        (args) => hasAtMost(MAX_VALUES, args),
        broken('too_long', `must have at most ${MAX_VALUES} values in total`),
      )
      .default([])
      .meta({
        type: 'array',
        maxItems: MAX_ARGUMENTS,
        items: { type: ['string', 'number', 'boolean', 'array', 'object'], items: {} },
        description: 'Arguments; integers as decimal strings',
        example: ['1'],
      }),
    abi: z.array(abiItem).max(MAX_ABI_ITEMS).optional().meta({
      type: 'array',
      maxItems: MAX_ABI_ITEMS,
      items: SHOWN_ABI_ITEM,
      description: 'JSON ABI. Default: ERC-721, ERC-1155, ERC-20, the forwarder and the certificates',
    }),
  })
  .meta({ id: 'ReadContract' });

/** The standard ABIs come first: where our contracts implement a standard, the functions are the same. */
const BUILT_IN: readonly AbiItem[] = z
  .array(abiItem)
  .parse([
    ...erc721Abi,
    ...erc1155Abi,
    ...erc20Abi,
    ...[standard721, standard1155, certificate721, certificate1155, minimalForwarder].flatMap(({ abi }) => [...abi]),
  ]);

/**
 * Calls a view function of any contract. Its gas, the length of the response and the size of the decoded values are
 * limited.
 * @returns the raw value: integers as decimal strings, bytes as hex; several values as an array; null when the function
 *   returns nothing.
 * @throws {DomainError} `invalid` with every issue of the input, with the contract's error when the call reverts, or
 *   when the response is too long; `upstream` when the chain does not answer.
 */
export async function callView(
  { chains }: TenantServices,
  input: z.output<typeof viewCallInput>,
): Promise<AbiValue | null> {
  const abi = input.abi ?? BUILT_IN;
  const chosen = chooseFunction(abi, input.method, input.args);
  const issues = 'issues' in chosen ? chosen.issues : [];
  const { client } = requireAllowedChain(chains, input.chainId, () => issues);
  if ('issues' in chosen) throw invalidInput(chosen.issues);
  const { view, args } = chosen;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `abiItem` has validated it
  const data = concatHex([selectorOf(view), encodeAbiParameters(view.inputs as AbiParameter[], args)]);
  const [code, { data: result = '0x' }] = await withChainErrors(
    () =>
      Promise.all([
        client.getCode({ address: input.contractAddress }),
        client.call({ to: input.contractAddress, data, gas: CALL_GAS }),
      ]),
    abi.filter((item) => item.type === 'error'),
  );
  if (code === undefined) throw invalidInput([{ path: 'contractAddress', message: 'has no contract on this chain' }]);
  if (view.outputs.length === 0) return null;
  if (result === '0x') {
    throw invalidInput([
      { path: 'method', message: `the contract returns nothing for ${input.method}: it may not have this function` },
    ]);
  }
  if (size(result) > MAX_ABI_BYTES) throw new DomainError('invalid', RESPONSE_TOO_LARGE);
  try {
    const values = decodeAbi(view.outputs, result);
    return values.length === 1 ? (values[0] ?? null) : values;
  } catch (error) {
    if (!(error instanceof AbiDecodingError)) throw error;
    const message = `the response does not match the outputs of ${view.name} in the ABI: it ${error.message}`;
    throw invalidInput([{ path: 'abi', message }]);
  }
}

/** Whether there are at most `limit` JSON values, nested ones included. */
function hasAtMost(limit: number, values: readonly unknown[]): boolean {
  const left = [...values];
  let count = 0;
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    count += 1;
    if (count > limit) return false;
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) left.push(member);
  }
  return true;
}

/**
 * The view function of that name that accepts these arguments, or why there is none. Overloads are tried by the number
 * of arguments, then in order.
 */
function chooseFunction(
  abi: readonly AbiItem[],
  method: string,
  given: readonly unknown[],
): { readonly view: ViewFunction; readonly args: unknown[] } | { readonly issues: readonly InputIssue[] } {
  const named = abi.filter((item): item is ViewFunction => item.type === 'function' && item.name === method);
  const views = named.filter(({ stateMutability }) => stateMutability === 'view' || stateMutability === 'pure');
  if (views.length === 0) {
    const message = named.length === 0 ? 'is not in the ABI' : 'is not a view function: it would change state';
    return { issues: [{ path: 'method', message }] };
  }
  const fitting = views.filter(({ inputs }) => inputs.length === given.length);
  if (fitting.length === 0) {
    const counts = [...new Set(views.map(({ inputs }) => inputs.length))].join(' or ');
    return { issues: [{ path: 'args', message: `${method} takes ${counts} arguments, not ${given.length}` }] };
  }
  let issues: readonly InputIssue[] = [];
  for (const view of fitting) {
    const args = parseAbiArguments(view.inputs, given, 'args');
    if ('value' in args) return { view, args: args.value };
    ({ issues } = args);
  }
  return { issues: listedIssues(issues) };
}
