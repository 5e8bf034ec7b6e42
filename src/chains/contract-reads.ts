import type { Address, Hex, PublicClient } from 'viem';
import { DomainError } from '../core/domain-error.ts';
import { MAX_ABI_BYTES } from './decode-abi.ts';
import { classifyCallError, isTooLong } from './rpc-error.ts';
import type { View } from './view.ts';
import type { ContractError } from './contract-errors.ts';

/**
 * Gas limit of a simulated call that the caller chose: enough for any view function, and for a relayed request with the
 * highest gas limit that can be signed. Without it a node applies its own limit, which a hostile contract would use up.
 */
export const CALL_GAS = 10_000_000n;

/**
 * Gas limit of a view that the service itself asks for, of which one request may make a hundred. Those of common
 * contracts need less than a hundredth.
 */
const VIEW_GAS = 1_000_000n;

/** The result of a read from a contract that may not be what it claims to be. */
export type ContractRead<Value> =
  | { readonly value: Value }
  /**
   * Why there is no value: the contract reverted (`isRevert`), returned nothing, or returned data that does not decode.
   */
  | { readonly reverted: string; readonly isRevert: boolean };

/** The value of a read; undefined when there is none. */
export function valueOf<Value>(read: ContractRead<Value>): Value | undefined {
  return 'value' in read ? read.value : undefined;
}

/**
 * Simulates a call. That the contract reverts or returns nonsense is a result here, not an error.
 * @throws {DomainError} `upstream` when no node answers. The node's own message is left out: it can contain the node's
 *   URL, and with it an API key.
 */
export async function readContract<Value>(
  client: PublicClient,
  { from, to, data, read }: View<Value>,
): Promise<ContractRead<Value>> {
  let result: Hex | undefined;
  try {
    const sender = from === undefined ? {} : { account: from };
    ({ data: result } = await client.call({ ...sender, to, data, gas: VIEW_GAS }));
  } catch (error) {
    if (isTooLong(error)) {
      return { reverted: `the response is longer than ${MAX_ABI_BYTES / 1_024} KB`, isRevert: true };
    }
    const failure = classifyCallError(error);
    if (failure.kind === 'reverted')
      return { reverted: failure.reason ?? 'the call reverts without a reason', isRevert: true };
    throw new DomainError('chain_unavailable', 'The chain does not answer', undefined, { cause: error });
  }
  if (result === undefined) return { reverted: 'the call returns no data', isRevert: false };
  try {
    return { value: read(result) };
  } catch {
    return { reverted: 'the returned data cannot be decoded', isRevert: false };
  }
}

export const RESPONSE_TOO_LARGE = `The contract returns more than ${MAX_ABI_BYTES / 1_024} KB`;

/**
 * Runs a read of the chain and turns its failure into a {@link DomainError}.
 * @param errors Errors to recognise besides those of our own contracts.
 * @throws {DomainError} `invalid` with the contract's error when the call reverts, or when the result is too long;
 *   `upstream` when no node answers. The node's own message is left out: it can contain the node's URL, and with it an
 *   API key.
 */
export async function withChainErrors<Result>(
  read: () => Promise<Result>,
  errors?: readonly ContractError[],
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isTooLong(error)) throw new DomainError('call_reverted', RESPONSE_TOO_LARGE);
    const failure = classifyCallError(error, errors);
    if (failure.kind === 'reverted') {
      throw new DomainError('call_reverted', `Reverted: ${failure.reason ?? 'the contract gave no reason'}`);
    }
    throw new DomainError('chain_unavailable', 'The chain does not answer', undefined, { cause: error });
  }
}

/**
 * Simulates a call that is to be ordered.
 * @returns why it reverts; undefined if it does not.
 * @throws {DomainError} `upstream` when no node answers.
 */
export async function readRefusal(
  client: PublicClient,
  { from, to, data }: { readonly from: Address; readonly to: Address; readonly data: Hex },
): Promise<string | undefined> {
  try {
    await withChainErrors(() => client.call({ account: from, to, data, gas: CALL_GAS }));
    return undefined;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
}
