/**
 * What kind of refusal an error is. It knows nothing of HTTP: `error-reply.ts` maps each kind to a status.
 * - `invalid`: the input is wrong; `issues` lists everything that is
 * - `unauthenticated`: no valid key, or no account named
 * - `forbidden`: the caller may not do this at all
 * - `not-found`: no such resource in the caller's scope
 * - `wrong-method`: the resource is there, but not for this method
 * - `conflict`: the current state does not allow it
 * - `outdated`: the request is for another version of the resource than the current one
 * - `version-required`: the request does not say for which version of the resource it is
 * - `too-slow`: the input does not arrive in time
 * - `too-large`: the input is over its size limit
 * - `wrong-media-type`: the body is of another media type than the one that is read
 * - `unprocessable`: the request contradicts an earlier one
 * - `rate-limited`: too many requests from the account or from the caller's address, or a limit of the account is
 *   reached
 * - `internal`: a defect of the service
 * - `upstream`: a provider failed or did not answer
 * - `unavailable`: the service is not set up
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'wrong-method'
  | 'conflict'
  | 'outdated'
  | 'version-required'
  | 'too-slow'
  | 'too-large'
  | 'wrong-media-type'
  | 'unprocessable'
  | 'rate-limited'
  | 'internal'
  | 'upstream'
  | 'unavailable';

interface CodeDescription {
  readonly kind: ErrorKind;
  readonly means: string;
  readonly remedy: string;
}

/**
 * Every `code` of an error, which never changes its meaning: clients decide by it. The first of a kind is the one of an
 * error that has no code of its own. docs/errors.md and the API document show this list.
 */
export const ERROR_CODES = {
  invalid_input: {
    kind: 'invalid',
    means: 'The request is invalid; `errors` lists every issue',
    remedy: 'Correct the fields in `errors`',
  },
  metadata_invalid: {
    kind: 'invalid',
    means: 'The metadata does not match its schema; `errors` lists every issue',
    remedy: 'Correct it; GET /schemas and /docs/schemas show the schemas',
  },
  malformed_body: {
    kind: 'invalid',
    means: 'The body is cut off, or is not JSON in UTF-8',
    remedy: 'Send well-formed JSON in UTF-8',
  },
  call_reverted: {
    kind: 'invalid',
    means: "The call reverts; the message has the contract's error",
    remedy: 'Fix the cause; the same call would fail again',
  },
  unauthenticated: {
    kind: 'unauthenticated',
    means: 'The caller is unknown',
    remedy: 'Send a valid key',
  },
  api_key_missing: {
    kind: 'unauthenticated',
    means: 'The header x-api-key is missing',
    remedy: 'Send the key in the header x-api-key',
  },
  api_key_invalid: {
    kind: 'unauthenticated',
    means: 'The key in x-api-key is wrong, revoked or expired',
    remedy: 'Check that it was copied completely; otherwise ask for a new one',
  },
  bearer_not_supported: {
    kind: 'unauthenticated',
    means: 'The key was sent in the header Authorization, which is not read',
    remedy: 'Send only the key, in the header that the message names',
  },
  admin_key_missing: {
    kind: 'unauthenticated',
    means: 'The header x-admin-secret-key is missing',
    remedy: 'Send the admin key in the header x-admin-secret-key',
  },
  admin_key_invalid: {
    kind: 'unauthenticated',
    means: 'The key in x-admin-secret-key is wrong',
    remedy: 'Send the admin key of this deployment',
  },
  account_header_missing: {
    kind: 'unauthenticated',
    means: "The operator's key was sent without an account",
    remedy: 'Name the account in the header X-CORPORATE-ID',
  },
  forbidden: {
    kind: 'forbidden',
    means: 'This is not allowed; the message says why',
    remedy: 'Ask the operator, then send the same request again',
  },
  account_inactive: {
    kind: 'forbidden',
    means: 'The account in X-CORPORATE-ID is unknown or inactive',
    remedy: 'Check the header X-CORPORATE-ID; ask the operator',
  },
  scope_missing: {
    kind: 'forbidden',
    means: 'The key lacks the scope that the message names',
    remedy: 'Use a key with the scope',
  },
  address_not_allowed: {
    kind: 'forbidden',
    means: 'The key cannot be used from this address',
    remedy: 'Call from an address that the key allows',
  },
  wrong_chain_kind: {
    kind: 'forbidden',
    means: 'A test key was used for a main chain, or a live key for a test chain',
    remedy: "Use a key of the other kind, or a chain of the key's kind",
  },
  limit_forbids: {
    kind: 'forbidden',
    means: "The account's limits do not allow this chain, contract or receiver; `errors` names the limit",
    remedy: 'Ask the operator, then send the same request again',
  },
  wrong_pin: {
    kind: 'forbidden',
    means: 'The PIN of the claim is wrong; the message says how many attempts are left',
    remedy: 'Check what the issuer sent you; ten wrong PINs block the link',
  },
  test_signatures_disabled: {
    kind: 'forbidden',
    means: 'Server-side signing is for tests and is disabled here',
    remedy: "Have the holder's wallet sign",
  },
  not_found: {
    kind: 'not-found',
    means: 'The account has no such resource',
    remedy: 'Check the id, and that the key belongs to the account that has it',
  },
  contract_not_active: {
    kind: 'not-found',
    means: "The contract is not one of the account's ACTIVE token contracts; the message says which and why",
    remedy: 'Wait while it is DEPLOYING; deploy again if it is FAILED; otherwise check chainId and contractAddress',
  },
  route_not_found: {
    kind: 'not-found',
    means: 'The service has no such path',
    remedy: 'Compare the path with /docs',
  },
  method_not_allowed: {
    kind: 'wrong-method',
    means: 'The path has no such method',
    remedy: 'Use one of the methods in the header Allow',
  },
  body_too_slow: {
    kind: 'too-slow',
    means: 'The body arrives too slowly, or stops; nothing was accepted',
    remedy: 'Send the same request again over a faster connection',
  },
  conflict: {
    kind: 'conflict',
    means: 'The current state does not allow it; the message says why',
    remedy: 'Read the resource and decide again',
  },
  token_unavailable: {
    kind: 'conflict',
    means: 'The token or its metadata is in use',
    remedy: 'Choose another token id or document; check first with POST /minting/occupancy/check',
  },
  not_owner: {
    kind: 'conflict',
    means: "The account's wallet is not the owner of the contract",
    remedy: "Have the owner sign, or transfer the ownership to the account's wallet",
  },
  claim_not_open: {
    kind: 'conflict',
    means: "The link's token can no longer be claimed; the message says why",
    remedy: 'Ask the issuer for another link',
  },
  idempotency_key_in_use: {
    kind: 'conflict',
    means: 'A request with the same Idempotency-Key is still running',
    remedy: 'Wait for Retry-After seconds, then send the same request again',
  },
  version_outdated: {
    kind: 'outdated',
    means: 'If-Match does not name the current version',
    remedy: 'Read the document again, and edit the current version',
  },
  version_required: {
    kind: 'version-required',
    means: 'The header If-Match is missing',
    remedy: 'Send the ETag of the document in If-Match',
  },
  too_large: {
    kind: 'too-large',
    means: 'The body or file exceeds the size limit in the message',
    remedy: 'Send a smaller body or file',
  },
  unsupported_media_type: {
    kind: 'wrong-media-type',
    means: 'The route does not accept this Content-Type',
    remedy:
      'Send Content-Type: application/json; for an upload multipart/form-data, for an import text/csv or application/x-ndjson',
  },
  idempotency_key_reused: {
    kind: 'unprocessable',
    means: 'The Idempotency-Key was used with a different request',
    remedy: 'Use a new one for a different request',
  },
  rate_limited: {
    kind: 'rate-limited',
    means: 'Too many requests from the account, the key or the address',
    remedy: 'Wait for Retry-After seconds, then send the same request again',
  },
  limit_reached: {
    kind: 'rate-limited',
    means: 'A limit of the account is reached; `errors` names it',
    remedy: 'Wait for Retry-After seconds, then send the same request again',
  },
  internal_error: {
    kind: 'internal',
    means: 'An unexpected failure; the request may have been accepted',
    remedy: 'Send the same request again with the same Idempotency-Key; report the requestId if it persists',
  },
  upstream_failed: {
    kind: 'upstream',
    means: 'A provider failed or did not answer; the request may have been accepted',
    remedy: 'Send the same request again with the same Idempotency-Key',
  },
  chain_unavailable: {
    kind: 'upstream',
    means: 'No node of the chain answers',
    remedy: 'Send the same request again with the same Idempotency-Key',
  },
  service_unavailable: {
    kind: 'unavailable',
    means: "The service's settings are invalid, or it is not set up for this",
    remedy: 'The operator must correct them',
  },
  temporarily_unavailable: {
    kind: 'unavailable',
    means: 'The service does not answer; the request may have been accepted',
    remedy: 'Wait for Retry-After seconds, then send the same request again with the same Idempotency-Key',
  },
} as const satisfies Record<string, CodeDescription>;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * Every `code` of an item of `errors`, which never changes its meaning either. `invalid_value` is the one of an issue
 * that has no code of its own.
 */
export const ISSUE_CODES = {
  required: 'It is missing',
  unknown_field: 'There is no field or query parameter with this name',
  wrong_type: 'It has the wrong type, such as a number instead of a string',
  invalid_format: 'It does not have the format in the message',
  not_allowed: 'It is not an allowed value, or must be absent',
  too_short: 'It has too few characters or items',
  too_long: 'It has too many characters or items',
  too_small: 'The number is below its minimum',
  too_big: 'The number is above its maximum',
  invalid_value: 'It is wrong in another way; the message says how',
  not_found: 'The account has no such resource',
  not_changeable: 'It can no longer be changed',
  limit: "The account's limit in `path` rejects the request",
  wrong_signature: 'It is not the signature of `from` for this request',
  wrong_nonce: "It is not the signer's next nonce",
  expired: 'The time has passed',
  not_holder: '`from` does not hold the token, or holds too few of it',
  more_issues: 'The last entry of a list that is too long; it says how many are omitted',
} as const;

export type IssueCode = keyof typeof ISSUE_CODES;

export function isIssueCode(code: unknown): code is IssueCode {
  return typeof code === 'string' && Object.hasOwn(ISSUE_CODES, code);
}

const DEFAULT_CODES = defaultCodes();

/** The code of an error that has none of its own, by its kind. */
export function defaultCodeOf(kind: ErrorKind): ErrorCode {
  const code = DEFAULT_CODES.get(kind);
  if (code === undefined) throw new Error(`No code has the kind ${kind}`);
  return code;
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

function defaultCodes(): ReadonlyMap<ErrorKind, ErrorCode> {
  const codes = new Map<ErrorKind, ErrorCode>();
  for (const [code, { kind }] of Object.entries(ERROR_CODES)) {
    if (isErrorCode(code) && !codes.has(kind)) codes.set(kind, code);
  }
  return codes;
}
