import type { z } from 'zod';
import { listedFaults } from './listed-faults.ts';

/** One fault of an input: where it is (dotted path, or JSONPath for metadata) and what is wrong with it. */
export interface InputFault {
  readonly path: string;
  readonly message: string;
}

/** A fault of a metadata document, as the specification's "Errors" lists its fields. */
export interface MetadataFault extends InputFault {
  readonly schemaVersion: string | null;
  readonly type: string | null;
}

/**
 * Why a use case refuses what it was asked. Knows nothing of HTTP: `error-reply.ts` says which status each becomes.
 * - `invalid`: the input is at fault; `faults` names every fault
 * - `unauthenticated`: no valid key, or no account named
 * - `forbidden`: the caller may not do this at all
 * - `missing`: no such resource in the caller's scope
 * - `conflict`: the state of things forbids it now
 * - `unprocessable`: the request contradicts one that came before
 * - `too-large`: the input is over its limit
 * - `too-many`: the account, or the caller's address, makes more requests than it may
 * - `upstream`: a provider failed or did not answer
 */
export type DomainErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'unprocessable'
  | 'too-large'
  | 'too-many'
  | 'upstream';

export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: DomainErrorCode;
  readonly faults: readonly InputFault[] | undefined;

  constructor(code: DomainErrorCode, message: string, faults?: readonly InputFault[], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.faults = faults;
  }
}

/** The input has these faults; the reply lists them all. */
export function invalidInput(faults: readonly InputFault[], message = 'Validation failed'): DomainError {
  return new DomainError('invalid', message, faults);
}

/** The faults that zod found, in the form of ours. */
export function faultsOf({ issues }: z.ZodError): InputFault[] {
  return listedFaults(inputFaults(issues));
}

function* inputFaults(issues: z.ZodError['issues']): Generator<InputFault> {
  for (const { path, message } of issues) yield { path: path.map(String).join('.'), message };
}

/** No such resource in the caller's scope; the same words for one that is another account's. */
export function missing(what: string): DomainError {
  return new DomainError('missing', `${what} not found`);
}
