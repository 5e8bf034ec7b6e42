import type { z } from 'zod';
import {
  ERROR_CODES,
  defaultCodeOf,
  isErrorCode,
  type ErrorCode,
  type ErrorKind,
  type IssueCode,
} from './error-codes.ts';
import { described } from './validation-messages.ts';

/** What a field can name that the account does not have, and the code of the error. */
const MISSING = {
  'Active contract': 'contract_not_active',
  'Active forwarder': 'not_found',
} as const satisfies Record<string, ErrorCode>;

/** One thing wrong with an input: where it is (dotted path, or JSONPath for metadata) and what is wrong. */
export interface InputIssue {
  readonly path: string;
  readonly message: string;
  /** Default: `invalid_value`. */
  readonly code?: IssueCode;
  /** What the field names, if the account has no such resource. */
  readonly missing?: keyof typeof MISSING;
}

/** An issue of a metadata document, with the fields that the specification lists under "Errors". */
export interface MetadataIssue extends InputIssue {
  readonly schemaVersion: string | null;
  readonly type: string | null;
}

/** The state of metadata that a request is in conflict with. */
export interface ConflictingState {
  /** Absent for a collection. */
  readonly currentStatus?: string | null;
  readonly version: number;
}

/**
 * Why a use case refuses a request. It knows nothing of HTTP. Its texts are shown as they are: what they quote of a
 * provider must be redacted where it is read, and what they quote of the caller must not, because that would tell which
 * texts are parts of settings.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly issues: readonly InputIssue[] | undefined;
  /** After how many seconds the request may be tried again, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  readonly state: ConflictingState | undefined;

  /** @param what Its code; or its kind, if it has no code of its own. */
  constructor(
    what: ErrorCode | ErrorKind,
    message: string,
    issues?: readonly InputIssue[],
    options?: ErrorOptions & {
      readonly retryAfterSeconds?: number | undefined;
      readonly state?: ConflictingState;
    },
  ) {
    super(message, options);
    this.code = isErrorCode(what) ? what : defaultCodeOf(what);
    this.kind = ERROR_CODES[this.code].kind;
    this.issues = issues;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.state = options?.state;
  }
}

/** Whether an error is a refusal that passes without a change of what was asked for. */
export function isTemporary(error: unknown): error is DomainError {
  return error instanceof DomainError && ['rate-limited', 'upstream', 'unavailable'].includes(error.kind);
}

/** After how many seconds a caller should try again when a part of the service does not answer. */
const RETRY_SECONDS = 5;

/** The error when a part of the service does not answer. @param cause For the log; absent: it has it already. */
export function temporarilyUnavailable(cause?: Error): DomainError {
  return new DomainError('temporarily_unavailable', 'The service does not answer', undefined, {
    cause,
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/**
 * An error whose reply lists every issue: `not-found` if one is that the account has no such resource, otherwise
 * `invalid`.
 */
export function invalidInput(issues: readonly InputIssue[]): DomainError {
  const missing = issues.find((issue) => issue.missing !== undefined)?.missing;
  if (missing === undefined) return new DomainError('invalid_input', 'Validation failed', issues);
  return new DomainError(MISSING[missing], `${missing} not found`, issues);
}

/** The error of metadata that is not valid by its schema and the rules of the account. */
export function invalidMetadata(issues: readonly InputIssue[]): DomainError {
  return new DomainError('metadata_invalid', 'Metadata validation failed', issues);
}

/** The issues of a zod error, with dotted paths. @param noun What the names of the input are. */
export function issuesOf({ issues }: z.ZodError, noun = 'field'): InputIssue[] {
  return listedIssues(inputIssues(issues, noun));
}

function* inputIssues(issues: z.ZodError['issues'], noun: string): Generator<InputIssue> {
  for (const issue of issues) yield* described(issue, noun);
}

/** A `not-found` error. It reads the same whether the resource does not exist or belongs to another account. */
export function notFound(what: string): DomainError {
  return new DomainError('not-found', `${what} not found`);
}

const MAX_ISSUES = 1_000;
/** The most bytes of JSON that the entries may have in total. */
const MAX_ISSUE_BYTES = 512 * 1_024;

/**
 * The issues that an error lists: all of them, or, when they are too many for a reply, the first ones and a last entry
 * that says how many are left out. Issues that are left out are counted but not kept in memory.
 * @param root The path of the last entry: that of the whole input.
 */
export function listedIssues<Issue extends InputIssue>(issues: Iterable<Issue>, root = ''): Issue[] {
  const listed: Issue[] = [];
  let bytes = 0;
  let unlisted = 0;
  let last: Issue | undefined;
  for (const issue of issues) {
    if (unlisted === 0) bytes += sizeOf(issue);
    if (unlisted > 0 || listed.length === MAX_ISSUES || bytes > MAX_ISSUE_BYTES) {
      unlisted += 1;
      last = issue;
    } else {
      listed.push(issue);
    }
  }
  if (last === undefined) return listed;
  if (listed.length === MAX_ISSUES) {
    listed.pop();
    unlisted += 1;
  }
  return [...listed, { ...last, path: root, message: `issues not listed: ${unlisted}`, code: 'more_issues' }];
}

function sizeOf(issue: InputIssue): number {
  return new TextEncoder().encode(JSON.stringify(issue)).length;
}
