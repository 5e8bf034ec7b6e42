import { DomainError } from '../core/domain-error.ts';

/** The most characters of a row. */
export const MAX_ROW_LENGTH = 64 * 1_024;

export function rowTooLong(row: number): DomainError {
  return new DomainError('too_large', `Row ${row} has more than ${MAX_ROW_LENGTH} characters`);
}
