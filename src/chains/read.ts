import { DomainError } from '../core/domain-error.ts';
import type { ContractError } from './contract-errors.ts';
import { MAX_ABI_BYTES } from './decode-abi.ts';
import { callVerdict, isTooLarge } from './rpc-error.ts';

/** What is said of an answer that nobody reads to its end. */
export const ANSWER_TOO_LARGE = `The contract answers with more than ${MAX_ABI_BYTES / 1_024} KB`;

/**
 * Runs a read of the chain.
 * @param errors Errors beside those of our own contracts.
 * @throws {DomainError} `invalid` naming the contract's error when the read reverts, and where the answer is too long;
 *   `upstream` when no node answers. What the node said is not repeated: it can have the node's address in it, and that a key.
 */
export async function readOrUpstreamError<Result>(
  read: () => Promise<Result>,
  errors?: readonly ContractError[],
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isTooLarge(error)) throw new DomainError('invalid', ANSWER_TOO_LARGE);
    const verdict = callVerdict(error, errors);
    if (verdict.kind === 'reverted') {
      throw new DomainError('invalid', `Reverted: ${verdict.reason ?? 'the contract gave no reason'}`);
    }
    throw new DomainError('upstream', 'The chain does not answer', undefined, { cause: error });
  }
}
