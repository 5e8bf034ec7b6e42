import type { z } from 'zod';
import { listedIssues } from './listed-issues.ts';

/** One thing wrong with an input: where it is (dotted path, or JSONPath for metadata) and what is wrong. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
  /** What the field names, if the account has no such resource. */
  readonly missing?: string;
}

/** An issue of a metadata document, with the fields that the specification lists under "Errors". */
export interface MetadataIssue extends InputIssue {
  readonly schemaVersion: string | null;
  readonly type: string | null;
}

/**
 * Why a use case refuses a request. It knows nothing of HTTP: `error-reply.ts` maps each code to a status.
 * - `invalid`: the input is wrong; `issues` lists everything that is
 * - `unauthenticated`: no valid key, or no account named
 * - `forbidden`: the caller may not do this at all
 * - `not-found`: no such resource in the caller's scope
 * - `conflict`: the current state does not allow it
 * - `outdated`: the request is for another version of the resource than the current one
 * - `version-required`: the request does not say for which version of the resource it is
 * - `unprocessable`: the request contradicts an earlier one
 * - `too-large`: the input is over its size limit
 * - `rate-limited`: too many requests from the account or from the caller's address, or a limit of the account is reached
 * - `upstream`: a provider failed or did not answer
 */
export type DomainErrorCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'outdated'
  | 'version-required'
  | 'unprocessable'
  | 'too-large'
  | 'rate-limited'
  | 'upstream';

/** The state of metadata that a request is in conflict with. */
export interface ConflictingState {
  readonly currentStatus: string | null;
  readonly version: number;
}

export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: DomainErrorCode;
  readonly issues: readonly InputIssue[] | undefined;
  /** After how many seconds the request may be tried again, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  readonly state: ConflictingState | undefined;

  constructor(
    code: DomainErrorCode,
    message: string,
    issues?: readonly InputIssue[],
    options?: ErrorOptions & { readonly retryAfterSeconds?: number | undefined; readonly state?: ConflictingState },
  ) {
    super(message, options);
    this.code = code;
    this.issues = issues;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.state = options?.state;
  }
}

/** An error whose reply lists every issue: `not-found` if one is that the account has no such resource, otherwise `invalid`. */
export function invalidInput(issues: readonly InputIssue[], message = 'Validation failed'): DomainError {
  const missing = issues.find((issue) => issue.missing !== undefined)?.missing;
  if (missing === undefined) return new DomainError('invalid', message, issues);
  const shown = issues.map(({ path, message: text }) => ({ path, message: text }));
  return new DomainError('not-found', `${missing} not found`, shown);
}

/** The issues of a zod error, with dotted paths. */
export function issuesOf({ issues }: z.ZodError): InputIssue[] {
  return listedIssues(inputIssues(issues));
}

function* inputIssues(issues: z.ZodError['issues']): Generator<InputIssue> {
  for (const { path, message } of issues) yield { path: path.map(String).join('.'), message };
}

/** A `not-found` error. It reads the same whether the resource does not exist or belongs to another account. */
export function notFound(what: string): DomainError {
  return new DomainError('not-found', `${what} not found`);
}
