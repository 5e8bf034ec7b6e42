import { DomainError } from '../core/domain-error.ts';
import type { ContractError } from './contract-errors.ts';
import { MAX_ABI_BYTES } from './decode-abi.ts';
import { classifyCallError, isTooLong } from './rpc-error.ts';

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
