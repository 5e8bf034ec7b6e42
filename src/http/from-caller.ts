import { DomainError } from '../core/domain-error.ts';

/**
 * Waits for a read of a request's body.
 * @throws {DomainError} `invalid` when the read fails: the caller has hung up. Also what the read throws as a
 *   DomainError.
 */
export async function fromCaller<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('malformed_body', 'The body breaks off', undefined, { cause: error });
  }
}
