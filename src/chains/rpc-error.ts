import { BaseError, isHex } from 'viem';
import type { Hex } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { contractErrors } from './contract-errors.ts';
import type { ContractError } from './contract-errors.ts';
import { AbiDecodingError, MAX_ABI_BYTES, decodeAbi } from './decode-abi.ts';
import { ResponseTooLargeError } from './json-rpc.ts';

/** The most characters of a revert reason that are kept. */
const MAX_REASON = 500;

/** Node messages for a call that halted. Anvil calls everything but a revert an "EVM error". */
const HALTED = /revert|out of gas|invalid (opcode|jump)|stack (under|over)flow|EVM error/i;

const NO_FUNDS = /insufficient ?(funds|balance)/i;

interface RpcErrorParts {
  readonly message: string;
  readonly code: number | undefined;
  readonly data: Hex | undefined;
}

/** What the failure of a call or a gas estimate means. */
export type CallFailure =
  /** The call reverts; `reason` is the contract's error. */
  | { readonly kind: 'reverted'; readonly reason: string | undefined }
  | { readonly kind: 'no-funds' }
  /** The node failed, not the call: it can be retried. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Extracts the node's error from viem's chain of causes. */
function errorParts(error: unknown): RpcErrorParts {
  let message = error instanceof Error ? error.message : String(error);
  let code: number | undefined;
  let data: Hex | undefined;
  let current: unknown = error;
  while (current instanceof Error) {
    if ('code' in current && typeof current.code === 'number') code = current.code;
    if ('data' in current) data ??= hexOf(current.data);
    // viem puts the bytes here when it has decoded the data.
    if ('raw' in current) data ??= hexOf(current.raw);
    if (current instanceof BaseError) message = current.details || message;
    current = current.cause;
  }
  return { message, code, data };
}

/** Nodes put revert data into `data` or into `data.data`. */
function hexOf(data: unknown): Hex | undefined {
  if (isHex(data)) return data;
  return typeof data === 'object' && data !== null && 'data' in data ? hexOf(data.data) : undefined;
}

/**
 * Classifies an error of `eth_call` or `eth_estimateGas`.
 * @param errors Errors to recognise besides those of our own contracts.
 */
export function classifyCallError(error: unknown, errors: readonly ContractError[] = []): CallFailure {
  if (isTooLarge(error)) return { kind: 'reverted', reason: `the response is longer than ${MAX_ABI_BYTES / 1_024} KB` };
  const { message, code, data } = errorParts(error);
  if (NO_FUNDS.test(message) || /gas required exceeds allowance \(0\)/i.test(message)) {
    return { kind: 'no-funds' };
  }
  // Most nodes use code 3 for a revert; the message covers those that do not.
  if (code === 3 || data !== undefined || HALTED.test(message)) {
    return { kind: 'reverted', reason: revertReason(data, errors) ?? plainReason(message) };
  }
  return { kind: 'unknown', message };
}

/** Whether a call failed because its return or revert data is over the size limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof ResponseTooLargeError) !== null;
}

/**
 * Formats revert data as `Name(arg, ...)`; undefined when it is empty.
 * @param errors Errors to recognise besides those of our own contracts.
 */
export function revertReason(data: Hex | undefined, errors: readonly ContractError[] = []): string | undefined {
  if (data === undefined || data === '0x') return undefined;
  const selector = data.slice(0, 10);
  const known = errors.find((error) => selectorOf(error) === selector) ?? contractErrors.get(selector);
  if (known === undefined) return `unknown error ${selector}`;
  try {
    const args = decodeAbi(known.inputs, `0x${data.slice(10)}`);
    const texts = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)));
    return oneLine(`${known.name}(${texts.join(', ')})`);
  } catch (error) {
    if (error instanceof AbiDecodingError) return `unknown error ${selector}`;
    throw error;
  }
}

/** The reason that a node's message states in words. */
export function plainReason(message: string): string | undefined {
  const [, reason] = /revert(?:ed)?:? +(?!data)(.+)/i.exec(message) ?? [];
  return reason === undefined ? undefined : oneLine(reason);
}

/**
 * Makes a contract's text safe to store and show. A token's receiver can choose that text: one NUL, which PostgreSQL rejects,
 * would otherwise fail the settlement of every order in the same batch.
 */
export function oneLine(words: string): string {
  return words
    .slice(0, MAX_REASON)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ');
}
