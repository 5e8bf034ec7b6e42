import type { ErrorReply } from './api.ts';

/** What a service's `code` says; others may be added. */
export type ErrorCode = ErrorReply['code'];
/** One fault of the input. */
export type InputIssue = NonNullable<ErrorReply['errors']>[number];

/** What every error of this client is. None has the key or the account of the client. */
export class ClientError extends Error {
  override readonly name: string = 'ClientError';
}

/** A request that has failed. */
export class RequestError extends ClientError {
  override readonly name: string = 'RequestError';
  /** The one it was sent with, to send the same request once more; undefined if it takes none. */
  readonly idempotencyKey: string | undefined;

  /** @internal */
  constructor(message: string, idempotencyKey: string | undefined) {
    super(message);
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * Nothing usable came back; the request may have been accepted. `reason`:
 * - `network`: no connection, or it broke
 * - `timeout`: the reply was not complete in time
 * - `unreadable`: the reply is not JSON, or has not what it must have
 * - `too_large`: the reply is over the limit
 * - `redirect`: the reply points elsewhere, where the key is not sent
 */
export class ConnectionError extends RequestError {
  override readonly name = 'ConnectionError';
  readonly reason: 'network' | 'timeout' | 'unreadable' | 'too_large' | 'redirect';

  /** @internal */
  constructor(reason: ConnectionError['reason'], message: string, idempotencyKey: string | undefined) {
    super(message, idempotencyKey);
    this.reason = reason;
  }
}

/** What the service said when it refused a request; docs/errors.md. */
export interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** Undefined if the platform answered in place of the service. A code that this version does not know is possible. */
  readonly code: ErrorCode | (string & {}) | undefined;
  readonly message: string;
  /** Name it when you ask for help. */
  readonly requestId: string | undefined;
  /** Seconds after which the request can succeed. */
  readonly retryAfter: number | undefined;
  /** Each fault of the input; empty if the error is not about the input. */
  readonly errors: readonly InputIssue[];
  /** The status that the document has, if it is not the expected one. */
  readonly currentStatus?: string | null;
  /** The version that the document has, if it is not the expected one. */
  readonly version?: number;
}

/** The service has refused the request, or has failed. */
export class ApiError extends RequestError implements Refusal {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: Refusal['code'];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly errors: readonly InputIssue[];
  readonly currentStatus?: string | null;
  readonly version?: number;

  /** @internal */
  constructor(refusal: Refusal, idempotencyKey: string | undefined) {
    const { status, code, message, requestId, retryAfter, errors, currentStatus, version } = refusal;
    const faults = errors.slice(0, 3).map((issue) => `${issue.path}: ${issue.message}`);
    const about = faults.length === 0 ? '' : ` (${faults.join('; ')}${errors.length > 3 ? '; ...' : ''})`;
    super(`${status} ${code ?? ''}: ${message}${about}`.replace(' :', ':'), idempotencyKey);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.errors = errors;
    if (currentStatus !== undefined) this.currentStatus = currentStatus;
    if (version !== undefined) this.version = version;
  }
}

/** The request is wrong, and will be refused again: correct it. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}
/** The key is missing, wrong, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** The key or the limits of the account do not allow it. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}
/** The account has no such resource. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** The current state does not allow it. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}
/** The document has another version than the request names. */
export class VersionError extends ApiError {
  override readonly name = 'VersionError';
}
/** The Idempotency-Key was used for another request. */
export class IdempotencyKeyReusedError extends ApiError {
  override readonly name = 'IdempotencyKeyReusedError';
}
/** Too many requests, or a limit of the account is reached: not before `retryAfter` seconds. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** The service, or what it needs, has failed; the request may have been accepted. */
export class ServiceError extends ApiError {
  override readonly name = 'ServiceError';
}

type ErrorClass = typeof ApiError;

const OF_CODES: Readonly<Record<ErrorCode, ErrorClass>> = {
  invalid_input: InvalidRequestError,
  metadata_invalid: InvalidRequestError,
  malformed_body: InvalidRequestError,
  call_reverted: InvalidRequestError,
  route_not_found: InvalidRequestError,
  method_not_allowed: InvalidRequestError,
  body_too_slow: InvalidRequestError,
  too_large: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  unauthenticated: AuthenticationError,
  api_key_missing: AuthenticationError,
  api_key_invalid: AuthenticationError,
  bearer_not_supported: AuthenticationError,
  admin_key_missing: AuthenticationError,
  admin_key_invalid: AuthenticationError,
  account_header_missing: AuthenticationError,
  forbidden: PermissionError,
  account_inactive: PermissionError,
  scope_missing: PermissionError,
  address_not_allowed: PermissionError,
  wrong_chain_kind: PermissionError,
  limit_forbids: PermissionError,
  wrong_pin: PermissionError,
  test_signatures_disabled: PermissionError,
  not_found: NotFoundError,
  contract_not_active: NotFoundError,
  conflict: ConflictError,
  token_unavailable: ConflictError,
  not_owner: ConflictError,
  claim_not_open: ConflictError,
  idempotency_key_in_use: ConflictError,
  version_outdated: VersionError,
  version_required: VersionError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  rate_limited: RateLimitError,
  limit_reached: RateLimitError,
  internal_error: ServiceError,
  upstream_failed: ServiceError,
  chain_unavailable: ServiceError,
  service_unavailable: ServiceError,
  temporarily_unavailable: ServiceError,
};

const BY_CODE: ReadonlyMap<string, ErrorClass> = new Map(Object.entries(OF_CODES));
const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: VersionError,
  428: VersionError,
  422: IdempotencyKeyReusedError,
  429: RateLimitError,
};

/** The error of a refusal: of the class of its `code`; if that is not known, of its status. */
export function errorOf(refusal: Refusal, idempotencyKey: string | undefined): ApiError {
  const { code = '', status } = refusal;
  const ofStatus = BY_STATUS[status] ?? (status >= 500 ? ServiceError : InvalidRequestError);
  return new (BY_CODE.get(code) ?? ofStatus)(refusal, idempotencyKey);
}
