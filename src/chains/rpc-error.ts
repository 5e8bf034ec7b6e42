import { BaseError, isHex } from 'viem';
import type { Hex } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { contractErrors } from './contract-errors.ts';
import type { ContractError } from './contract-errors.ts';
import { AbiDecodingError, MAX_ABI_BYTES, decodeAbi } from './decode-abi.ts';
import { AnswerTooLargeError } from './json-rpc.ts';

/** How many characters of a contract's reason are kept. */
const MAX_REASON = 500;

/** What nodes say where a call ended without a result; anvil calls everything but a revert an "EVM error". */
const HALTED = /revert|out of gas|invalid (opcode|jump)|stack (under|over)flow|EVM error/i;

interface RpcFault {
  readonly message: string;
  readonly code: number | undefined;
  readonly data: Hex | undefined;
}

/** What the failure of an estimate or a call means. */
export type CallVerdict =
  /** The call reverts; `reason` names the contract's error. */
  | { readonly kind: 'reverted'; readonly reason: string | undefined }
  | { readonly kind: 'no-funds' }
  /** The node failed, not the call: worth another try. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Reads what a node said out of viem's chain of errors. */
function faultOf(error: unknown): RpcFault {
  let message = error instanceof Error ? error.message : String(error);
  let code: number | undefined;
  let data: Hex | undefined;
  let current: unknown = error;
  while (current instanceof Error) {
    if ('code' in current && typeof current.code === 'number') code = current.code;
    if ('data' in current) data ??= hexOf(current.data);
    // Where viem has decoded the data, the bytes stand here.
    if ('raw' in current) data ??= hexOf(current.raw);
    if (current instanceof BaseError) message = current.details || message;
    current = current.cause;
  }
  return { message, code, data };
}

/** Nodes put the revert's bytes into `data`, or into `data.data`. */
function hexOf(data: unknown): Hex | undefined {
  if (isHex(data)) return data;
  return typeof data === 'object' && data !== null && 'data' in data ? hexOf(data.data) : undefined;
}

/**
 * Sorts the error of `eth_call` and `eth_estimateGas`.
 * @param errors Errors beside those of our own contracts.
 */
export function callVerdict(error: unknown, errors: readonly ContractError[] = []): CallVerdict {
  if (isTooLarge(error)) return { kind: 'reverted', reason: `the answer is longer than ${MAX_ABI_BYTES / 1_024} KB` };
  const fault = faultOf(error);
  if (/insufficient funds|insufficient balance|gas required exceeds allowance \(0\)/i.test(fault.message)) {
    return { kind: 'no-funds' };
  }
  // 3 is the code that nodes give a revert (EIP-1474's successor texts); the words are for those that do not.
  if (fault.code === 3 || fault.data !== undefined || HALTED.test(fault.message)) {
    return { kind: 'reverted', reason: revertReason(fault.data, errors) ?? plainReason(fault.message) };
  }
  return { kind: 'unknown', message: fault.message };
}

/** Whether the answer to a call was longer than it may be: what the contract returns, or what it reverts with. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof AnswerTooLargeError) !== null;
}

/**
 * `Name(arg, ...)` of a revert's bytes; undefined for empty bytes.
 * @param errors Errors beside those of our own contracts.
 */
export function revertReason(data: Hex | undefined, errors: readonly ContractError[] = []): string | undefined {
  if (data === undefined || data === '0x') return undefined;
  const selector = data.slice(0, 10);
  const known = errors.find((error) => selectorOf(error) === selector) ?? contractErrors.get(selector);
  if (known === undefined) return `unknown error ${selector}`;
  try {
    const args = decodeAbi(known.inputs, `0x${data.slice(10)}`);
    const words = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)));
    return oneLine(`${known.name}(${words.join(', ')})`);
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
 * A contract's words, fit to be stored and shown. Whoever receives a token can choose them: without this, one NUL, which
 * PostgreSQL refuses, would keep every order that is settled together with this one from its end.
 */
export function oneLine(words: string): string {
  return words
    .slice(0, MAX_REASON)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ');
}
