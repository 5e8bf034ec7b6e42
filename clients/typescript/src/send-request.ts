import { ApiError, ConnectionError, errorOf, NotFoundError, type InputIssue, type Refusal } from './errors.ts';
import { jittered, pause } from './pause.ts';

/** The service, and how it is reached. */
export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** The headers that say who asks; their values are secrets. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** How long one attempt may take, the body of its reply included, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** A request that can be sent several times. */
export interface ApiRequest {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | Blob | undefined;
  /** Whether the reply is a text, not JSON. */
  readonly isText: boolean;
  /** Whether it must not be sent again if it may have been accepted. */
  readonly onlyOnce: boolean;
  readonly idempotencyKey: string | undefined;
}

/** The longest reply that is read, in bytes. */
const MAX_REPLY_BYTES = 64 * 1_024 * 1_024;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;
/** The longest `Retry-After` that is waited for, in seconds; the caller decides about a longer one. */
const LONGEST_RETRY_AFTER = 60;

/**
 * Sends a request, again if docs/errors.md says so: with the same Idempotency-Key, after as long as `Retry-After` says.
 * @returns the JSON of the reply, or its text; undefined if it has no body.
 * @throws {ApiError} if the service refuses it.
 * @throws {ConnectionError} if nothing usable comes back.
 * @throws the reason of the signal.
 */
export async function sendRequest(connection: Connection, request: ApiRequest, signal?: AbortSignal): Promise<unknown> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(connection, request, signal);
    } catch (error) {
      signal?.throwIfAborted();
      // An attempt whose reply was lost has deleted it.
      if (request.method === 'DELETE' && retries > 0 && error instanceof NotFoundError) return undefined;
      if (retries >= connection.maxRetries || !isWorthRetrying(error, request)) throw error;
      const backoff = jittered(Math.min(FIRST_RETRY_MS * 2 ** retries, LONGEST_RETRY_MS));
      await pause(1_000 * (retryAfterOf(error) ?? 0) + backoff, signal);
    }
  }
}

const retryAfterOf = (error: unknown) => (error instanceof ApiError ? error.retryAfter : undefined);

/** Whether the same request can succeed later, and must not be left to the caller. */
function isWorthRetrying(error: unknown, { onlyOnce }: ApiRequest): boolean {
  if (error instanceof ConnectionError) {
    return !onlyOnce && (error.reason === 'network' || error.reason === 'timeout' || error.reason === 'unreadable');
  }
  if (!(error instanceof ApiError) || (error.retryAfter ?? 0) > LONGEST_RETRY_AFTER) return false;
  if (error.status === 408 || error.status === 429 || error.code === 'idempotency_key_in_use') return true;
  return error.status >= 500 && error.code !== 'service_unavailable' && !onlyOnce;
}

async function attempt(connection: Connection, request: ApiRequest, signal?: AbortSignal): Promise<unknown> {
  const { idempotencyKey } = request;
  const timeout = AbortSignal.timeout(connection.timeoutMs);
  const withoutSecrets = (text: string) =>
    Object.values(connection.credentials).reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text);
  const failure = (reason: ConnectionError['reason'], message: string) =>
    new ConnectionError(reason, `${request.method} ${request.target}: ${withoutSecrets(message)}`, idempotencyKey);

  let reply: Response;
  let text: string | undefined;
  try {
    reply = await connection.fetch(`${connection.baseUrl}${request.target}`, {
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      // The key must not follow to where a reply points.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    text = await readText(reply);
  } catch (error) {
    if (timeout.aborted) throw failure('timeout', `no complete reply within ${connection.timeoutMs} ms`);
    throw failure('network', messagesOf(error));
  }
  if (reply.type === 'opaqueredirect' || (reply.status >= 300 && reply.status < 400)) {
    throw failure('redirect', 'the reply points elsewhere, which is not followed');
  }
  if (text === undefined) throw failure('too_large', `the reply has more than ${MAX_REPLY_BYTES} bytes`);
  if (!reply.ok) throw errorOf(refusalOf(reply, text, withoutSecrets), idempotencyKey);
  if (reply.status === 204) return undefined;
  if (request.isText) return text;
  const json = parse(text);
  if (json === undefined) throw failure('unreadable', `status ${reply.status}, and no JSON`);
  return json;
}

/** The body as text; undefined if it is too long, without its rest. */
async function readText(reply: Response): Promise<string | undefined> {
  const reader = reply.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_REPLY_BYTES) {
      // What is not read any more may also fail.
      await reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** What a failed `fetch` says; Node.js has the reason in the cause. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function parse(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

const stringOr = <Other>(value: unknown, other: Other) => (typeof value === 'string' ? value : other);

/** What a reply says in the form of docs/errors.md, or of what stands before the service, as far as it can be read. */
function refusalOf(reply: Response, text: string, withoutSecrets: (text: string) => string): Refusal {
  const json = parse(text, (_, value) => (typeof value === 'string' ? withoutSecrets(value) : value));
  const body: Partial<Record<keyof Refusal, unknown>> = typeof json === 'object' && json !== null ? json : {};
  const header = (name: string) => withoutSecrets(reply.headers.get(name) ?? '') || undefined;
  return {
    status: reply.status,
    code: stringOr(body.code, undefined),
    message: stringOr(body.message, 'the reply is not one of the service'),
    requestId: stringOr(body.requestId, header('x-request-id')),
    retryAfter: secondsUntil(header('retry-after') ?? ''),
    errors: Array.isArray(body.errors) ? body.errors.filter(isIssue) : [],
    ...(typeof body.currentStatus === 'string' || body.currentStatus === null
      ? { currentStatus: body.currentStatus }
      : {}),
    ...(typeof body.version === 'number' ? { version: body.version } : {}),
  };
}

/** What Retry-After says (RFC 9110, 10.2.3), seconds or a date, in seconds from now; undefined if it is neither. */
function secondsUntil(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = text.endsWith(' GMT') ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

function isIssue(value: unknown): value is InputIssue {
  if (typeof value !== 'object' || value === null) return false;
  const { path, code, message }: Partial<Record<keyof InputIssue, unknown>> = value;
  return [path, code, message].every((part) => typeof part === 'string');
}
