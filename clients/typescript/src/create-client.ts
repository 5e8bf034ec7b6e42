import { OPERATIONS, type Operations } from './api.ts';
import { listOf } from './list.ts';
import type { Operation, WriteOptions } from './operation.ts';
import { sendRequest, type ApiRequest, type Connection } from './send-request.ts';
import { waitForImport, type WaitForImport } from './wait-for-import.ts';
import { waitForOrder, type WaitFor } from './wait-for-order.ts';

/** A service, and who asks it. */
export interface ClientOptions {
  /** Such as `https://nft.example.com`. */
  readonly baseUrl: string;
  /** A key of the account; without one, only public operations. Keep it out of browsers and apps. */
  readonly key?: string;
  /** The account, with a global API key. */
  readonly corporateId?: string;
  /** How long one attempt of a request may take, in milliseconds; default 60,000. */
  readonly timeoutMs?: number;
  /** How often a request is sent again at most; default 4. */
  readonly maxRetries?: number;
  /** Sends the requests; default the `fetch` of the platform. It must not follow redirects if it is told so. */
  readonly fetch?: typeof fetch;
}

/** The operations of a service. */
export interface Client extends Operations {
  /**
   * Reads an order, or a contract, until it has ended. Between two reads it waits a second at first, ten at most.
   * @returns it once it is CONFIRMED or ACTIVE.
   * @throws {OrderFailedError} if it is FAILED or CANCELLED.
   * @throws {WaitTimeoutError} if it has not ended in time; it goes on all the same.
   */
  readonly waitFor: WaitFor;
  /**
   * Reads an import until it is CHECKED, PAUSED, COMPLETED or CANCELLED. Between two reads it waits a second at first,
   * ten at most; the signal ends it.
   */
  readonly waitForImport: WaitForImport;
}

/** Printable ASCII without spaces: another text would make the platform name it in its error. */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/**
 * A client of one service and one account.
 * @throws {TypeError} if an option is malformed.
 */
export function createClient(options: ClientOptions): Client {
  const { key, corporateId, timeoutMs = 60_000, maxRetries = 4 } = options;
  if (!(maxRetries >= 0)) throw new TypeError('maxRetries must be 0 or more');
  const connection: Connection = {
    baseUrl: baseUrlOf(options.baseUrl),
    credentials: {
      ...(key === undefined ? {} : { 'x-api-key': headerValue('key', key) }),
      ...(corporateId === undefined ? {} : { 'x-corporate-id': headerValue('corporateId', corporateId) }),
    },
    // As a method of another object it would fail in browsers and Workers.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    timeoutMs,
    maxRetries,
  };
  const methods = Object.entries(OPERATIONS).map(([name, operation]) => [name, methodOf(connection, operation)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both follow from the API document
  const operations = Object.fromEntries(methods) as Operations;
  return Object.freeze({
    ...operations,
    waitFor: waitForOrder(operations),
    waitForImport: waitForImport(operations),
  });
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** @throws {TypeError} that does not show the value. */
function headerValue(name: string, value: unknown): string {
  if (typeof value !== 'string' || !HEADER_VALUE.test(value))
    throw new TypeError(`${name} must be printable ASCII without spaces`);
  return value;
}

/** The parameters and the fields of the body. */
type Input = Readonly<Record<string, unknown>>;

/** The method of an operation; its first argument is the input, if it takes any. */
function methodOf(connection: Connection, operation: Operation) {
  const { path, query, headers, body, page } = operation;
  const takesInput = path.includes('{') || [query, headers, body].some((part) => part !== undefined);
  const send = async (input: Input, options: WriteOptions) =>
    await sendRequest(connection, requestOf(connection, operation, input, options), options.signal);
  return (first: Input = {}, second: WriteOptions = {}) => {
    const [input, options]: [Input, WriteOptions] = takesInput ? [first, second] : [{}, first];
    if (page === undefined) return send(input, options);
    const { next, parameter } = page;
    return listOf((token) => send(token === undefined ? input : { ...input, [parameter]: token }, options), next);
  };
}

/** The request of an operation. @throws {TypeError} if the input cannot be sent. */
function requestOf(connection: Connection, operation: Operation, input: Input, options: WriteOptions): ApiRequest {
  const { method, path, query = [], headers = {}, body, replies, takesKey, onlyOnce, isPublic } = operation;
  const isField = (name: string) =>
    !path.includes(`{${name}}`) && !query.includes(name) && !Object.hasOwn(headers, name);
  const fields = Object.entries(input).filter(([name]) => isField(name));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, input[name]));
  const named = Object.entries(headers).flatMap(([name, header]) =>
    input[name] === undefined ? [] : [[header, headerValue(name, input[name])]],
  );
  const idempotencyKey =
    takesKey === undefined ? undefined : headerValue('idempotencyKey', options.idempotencyKey ?? crypto.randomUUID());
  return {
    method,
    target: `${filled}${queryOf(query, input)}`,
    headers: {
      ...(isPublic === undefined ? connection.credentials : {}),
      ...Object.fromEntries(named),
      ...typeOf(body, input['file']),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: bodyOf(body, fields),
    onlyOnce: onlyOnce === true,
    isText: replies === 'text',
    idempotencyKey,
  };
}

/** One part of a path. Without a value, or with dots alone, it would be the path of another operation. */
function segment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} must be a text`);
  return encodeURIComponent(text);
}

function queryOf(names: readonly string[], input: Input): string {
  const search = new URLSearchParams();
  for (const name of names) {
    for (const value of [input[name]].flat()) {
      if (typeof value === 'string' || typeof value === 'number') search.append(name, String(value));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function typeOf(kind: Operation['body'], file: unknown): Readonly<Record<string, string>> {
  if (kind === 'json') return { 'content-type': 'application/json' };
  if (kind !== 'file') return {};
  const isLines = file instanceof Blob && file.type.startsWith('application/x-ndjson');
  return { 'content-type': isLines ? 'application/x-ndjson' : 'text/csv' };
}

function bodyOf(kind: Operation['body'], fields: readonly [string, unknown][]): ApiRequest['body'] {
  if (kind === undefined) return undefined;
  if (kind === 'file') {
    const [, file] = fields.find(([name]) => name === 'file') ?? [];
    if (file instanceof Blob) return file;
    throw new TypeError('file must be a Blob');
  }
  if (kind === 'json') return JSON.stringify(Object.fromEntries(fields));
  const form = new FormData();
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.append(name, value);
  }
  return form;
}
