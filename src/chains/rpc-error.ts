import { BaseError, type Hex } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { contractErrors, ERROR_MEANINGS, type ContractError } from './contract-errors.ts';
import { AbiDecodingError, decodeAbi } from './decode-abi.ts';
import { MAX_REASON, oneLine, TOO_LONG, type RpcReply } from './rpc-exchange.ts';

type FailedReply = Exclude<RpcReply, { readonly result: unknown }>;

/** A call got no result. */
export class RpcFailure extends BaseError {
  readonly reply: FailedReply;

  constructor(method: string, reply: FailedReply) {
    super(`${method}: ${'lost' in reply ? reply.lost : reply.error.message}`, { name: 'RpcFailure' });
    this.reply = reply;
  }
}

/** What the failure of a call or an estimate means. */
export type CallFailure =
  /** The call reverts, or needs more gas than any transaction may have; `reason` is the contract's error. */
  | { readonly kind: 'reverted'; readonly data: Hex; readonly reason: string | undefined }
  /** The node gives no result, and can be asked again; `detail` is its reason. */
  | { readonly kind: 'unknown'; readonly detail: string };

/** What the reply to a call or an estimate means. */
export type CallOutcome<Value> = { readonly kind: 'value'; readonly value: Value } | CallFailure;

/** What a node says of its own state, or of the sender's, and not of the call. */
const NOT_OF_THE_CALL =
  /header not found|unknown block|block ?(is )?out of range|BlockOutOfRange|missing trie|state (is )?(not available|pruned)|not found|insufficient ?(funds|balance)|allowance \(0\)/i;
/** Node messages for a call that halted. Anvil calls everything but a revert an "EVM error". */
const HALTED =
  /revert|out ?of ?gas|gas required exceeds|invalid (opcode|jump)|stack (under|over)flow|EVM error (?!Fatal|OutOfFunds)/i;
const NO_GAS = /out ?of ?gas|gas required exceeds/i;

/**
 * Classifies the reply to a call or an estimate.
 * @param read Parses the result; undefined if it is invalid.
 * @param errors Errors to recognise besides those of our own contracts.
 */
export function classifyCallReply<Value>(
  reply: RpcReply,
  read: (result: unknown) => Value | undefined,
  errors: readonly ContractError[] = [],
): CallOutcome<Value> {
  if (!('result' in reply)) return failureOf(reply, errors);
  const value = read(reply.result);
  return value === undefined ? { kind: 'unknown', detail: 'the reply is invalid' } : { kind: 'value', value };
}

/** Classifies what viem throws for a call or an estimate. */
export function classifyCallError(error: unknown, errors: readonly ContractError[] = []): CallFailure {
  return failureOf(replyIn(error) ?? { lost: String(error) }, errors);
}

/** Whether a call failed because its return or revert data is over the size limit. */
export function isTooLong(error: unknown): boolean {
  return replyIn(error) === TOO_LONG;
}

function replyIn(error: unknown): FailedReply | undefined {
  const failure = error instanceof BaseError ? error.walk((cause) => cause instanceof RpcFailure) : undefined;
  return failure instanceof RpcFailure ? failure.reply : undefined;
}

function failureOf(reply: FailedReply, errors: readonly ContractError[]): CallFailure {
  if ('lost' in reply) return { kind: 'unknown', detail: reply.lost };
  const { message, code, data } = reply.error;
  // Most nodes report a revert with code 3; the others are recognised by their messages, whose end is then the
  // contract's.
  const isRevert = code === 3 || data !== undefined || /^execution reverted/i.test(message);
  if (!isRevert && (NOT_OF_THE_CALL.test(message) || !HALTED.test(message))) {
    return { kind: 'unknown', detail: oneLine(message) };
  }
  const gas = NO_GAS.test(message) ? oneLine(message) : undefined;
  return { kind: 'reverted', data: data ?? '0x', reason: revertReason(data, errors) ?? plainReason(message) ?? gas };
}

/**
 * Formats revert data as `Name(arg, ...)`, with what it means if it is an error of our contracts; undefined when it is
 * empty.
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
    return explained(`${known.name}(${texts.join(', ')})`, contractErrors.get(selector)?.name);
  } catch (error) {
    if (error instanceof AbiDecodingError) return `unknown error ${selector}`;
    throw error;
  }
}

/** @param name Of an error of our contracts. */
function explained(reason: string, name = ''): string {
  const meaning = ERROR_MEANINGS[name];
  const suffix = meaning === undefined ? '' : `: ${meaning}`;
  return `${oneLine(reason, MAX_REASON - suffix.length)}${suffix}`;
}

/** The reason that a node's message states in words. */
function plainReason(message: string): string | undefined {
  const [, reason] = /revert(?:ed)?:? +(?!data)(.+)/i.exec(message) ?? [];
  return reason === undefined ? undefined : oneLine(reason);
}
