import type { Abi } from 'viem';
import { DomainError } from '../http/domain-error.ts';
import { callVerdict } from './rpc-error.ts';

/**
 * Runs a read of the chain.
 * @param abi Errors beside those of our own contracts.
 * @throws {DomainError} `invalid` naming the contract's error when the read reverts; `upstream` when no node answers. What
 *   the node said is not repeated: it can have the node's address in it, and that a key.
 */
export async function readOrUpstreamError<Result>(read: () => Promise<Result>, abi?: Abi): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const verdict = callVerdict(error, abi);
    if (verdict.kind === 'reverted') {
      throw new DomainError('invalid', `Reverted: ${verdict.reason ?? 'the contract gave no reason'}`);
    }
    throw new DomainError('upstream', 'The chain does not answer', undefined, { cause: error });
  }
}
