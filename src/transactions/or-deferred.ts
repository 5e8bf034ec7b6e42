import { DomainError } from '../core/domain-error.ts';
import { OperationDeferred } from './operation.ts';

/**
 * Waits for what the chain is asked while an order's call is built.
 * @throws {OperationDeferred} when no node answers: the order comes again.
 */
export async function orDeferred<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'upstream') throw new OperationDeferred(error.message);
    throw error;
  }
}
