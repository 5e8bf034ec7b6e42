import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { isRecord } from './is-record.ts';

/** The service answered with an error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The error's `code` (docs/errors.md); undefined if the platform answered. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What a request has besides its path. */
export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A form or a file is sent as it is, anything else as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The API of the service that served the page, called with a key that lives as long as the tab. */
export class ServiceApi {
  readonly #storageName: string;
  readonly #header: string;

  /**
   * @param storageName The name of the key in the tab's storage.
   * @param header The header in which the key is sent.
   */
  constructor(storageName: string, header: string) {
    this.#storageName = storageName;
    this.#header = header;
  }

  /** The key; null if nobody is signed in. */
  get key(): string | null {
    return sessionStorage.getItem(this.#storageName);
  }

  keepKey(value: string): void {
    sessionStorage.setItem(this.#storageName, value);
  }

  forgetKey(): void {
    sessionStorage.removeItem(this.#storageName);
  }

  /**
   * Reads a route.
   * @throws {ApiError} with the service's message when the status is not 2xx.
   */
  async get<Reply>(path: string, signal?: AbortSignal): Promise<Reply> {
    return await this.send<Reply>(path, signal === undefined ? {} : { signal });
  }

  /** Does something once, however often it is sent. @throws {ApiError} as {@link get}. */
  async post<Reply>(path: string, body?: object, idempotencyKey: string = crypto.randomUUID()): Promise<Reply> {
    const headers = { 'idempotency-key': idempotencyKey };
    return await this.send<Reply>(path, { method: 'POST', headers, ...(body === undefined ? {} : { body }) });
  }

  /** Sends any request, and resolves with any reply. */
  async request(path: string, { method = 'GET', body, headers, signal }: Sent): Promise<Response> {
    const isJson = body !== undefined && !(body instanceof FormData || body instanceof Blob);
    return await fetch(path, {
      method,
      headers: {
        ...headers,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        [this.#header]: this.key ?? '',
      },
      body: isJson ? JSON.stringify(body) : (body ?? null),
      signal: signal ?? null,
      cache: 'no-store',
    });
  }

  /** Reads a route that replies with a file. @throws {ApiError} as {@link get}. */
  async file(path: string): Promise<Blob> {
    const reply = await this.request(path, {});
    if (!reply.ok) throw errorOf(reply.status, await reply.json().catch(() => undefined));
    return await reply.blob();
  }

  /** Sends any request. @throws {ApiError} as {@link get}. */
  async send<Reply>(path: string, sent: Sent): Promise<Reply> {
    const reply = await this.request(path, sent);
    // Some errors, such as those of the platform, are not JSON, and a deletion has no body.
    const received: unknown = await reply.json().catch(() => undefined);
    if (!reply.ok) throw errorOf(reply.status, received);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service that served this page has written it
    return received as Reply;
  }
}

/** How many of the things that are wrong an error shows. */
const MAX_ISSUES = 5;

/** What is wrong with a field, with its name. */
function issueText({ path, code, message }: Readonly<Record<string, unknown>>): string {
  return path === '' || code === 'unknown_field' ? String(message) : `${String(path)} ${String(message)}`;
}

function errorOf(status: number, body: unknown): ApiError {
  if (typeof body !== 'object' || body === null || !('message' in body)) {
    return new ApiError(status, `The service answered with status ${status}`, undefined);
  }
  const { errors, code } = { errors: undefined, code: undefined, ...body };
  const issues = (Array.isArray(errors) ? errors : []).filter(isRecord).map(issueText);
  const more = issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '';
  const detail = issues.length > 0 ? `: ${issues.slice(0, MAX_ISSUES).join('; ')}${more}` : '';
  const advice =
    code === 'scope_missing'
      ? '. The key of this tab lacks it: sign in with another key, or ask whoever manages the keys of your account.'
      : '';
  const text = `${String(body.message)}${detail}${advice}`;
  return new ApiError(status, text, typeof code === 'string' ? code : undefined);
}

/** The API of the page that is shown. */
export const ApiContext = createContext<ServiceApi | undefined>(undefined);

/** @throws outside of an {@link ApiContext}. */
export function useApi(): ServiceApi {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('The page has no API');
  return api;
}

/** Forgets the key and everything that was read with it. */
export function signOut(api: ServiceApi): void {
  api.forgetKey();
  location.reload();
}
