import { isHex, type Hex } from 'viem';
import { basicCredentials } from '../core/basic-credentials.ts';
import { BodyTooLargeError, sendRequest } from '../core/send-request.ts';
import { redactionOfUrl, type Redact } from '../core/redaction.ts';
import { countNodeCalls } from '../core/tally.ts';
import { isObject, readReply, type Room } from './read-reply.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcErrorObject {
  /** The node's words, without what is secret in its URL. */
  readonly message: string;
  readonly code: number | undefined;
  /**
   * The revert data of a call: what the contract said, as it is. Were secrets removed from it, a contract could ask
   * whether a text is one.
   */
  readonly data: Hex | undefined;
}

/** The reply to a call. `lost`: no node replied; the call may have taken effect. */
export type RpcReply = { readonly result: unknown } | { readonly error: RpcErrorObject } | { readonly lost: string };

/** Where a provider is reached. */
export interface Endpoint {
  /** Of its chain. */
  readonly chainId: string;
  /** Without credentials. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Removes what is secret in the URL, credentials included. */
  readonly redact: Redact;
}

/** Why an HTTP request got no usable response. */
export interface Failure {
  /**
   * - `too-large`: the provider does not accept a batch of this size, or any batch
   * - `too-long`: the response in JSON-RPC is longer than is read of it
   * - `timeout`: the batch is too large, or one of its calls is slow
   */
  readonly kind: 'too-large' | 'too-long' | 'timeout' | 'down';
  /** Contains nothing of the URL. */
  readonly reason: string;
}

/** The start of a JSON-RPC response, as opposed to the error page of a proxy. */
const JSON_RPC_START = /^\s*\[?\s*\{\s*"(?:jsonrpc|id|error|result)"\s*:/;

export const MISSING: RpcReply = { lost: 'missing from the batch response' };

/** The code of a revert, as most nodes have it. */
const REVERTED = 3;

/** The outcome of a call whose contract returns more, or reverts with more, than is read. */
export const TOO_LONG: RpcReply = {
  error: { code: REVERTED, message: 'execution reverted: the response of the contract is too long', data: undefined },
};

/** What it means that a reply is too long, where contracts determine its length and not the node. */
const MEANING_OF_LENGTH: Readonly<Record<string, RpcReply>> = {
  eth_call: TOO_LONG,
  eth_estimateGas: TOO_LONG,
  eth_getLogs: { error: { code: undefined, message: 'the reply is too long', data: undefined } },
};

/** Moves credentials from the URL into a header: `fetch` rejects URLs that contain them. */
export function endpointOf(chainId: string, url: string): Endpoint {
  const bare = new URL(url);
  const credentials = basicCredentials(bare);
  bare.username = '';
  bare.password = '';
  return {
    chainId,
    url: credentials === undefined ? url : bare.href,
    redact: redactionOfUrl(url),
    headers: {
      'content-type': 'application/json',
      ...(credentials === undefined ? {} : { authorization: `Basic ${credentials}` }),
    },
  };
}

/**
 * Makes calls in one HTTP request. A single call is sent without an array, because not every provider accepts batches.
 * Never throws.
 * @param room For the replies.
 * @returns one reply per call, in order, at least one of which is not lost; or why there is none.
 */
export async function exchange(
  { chainId, url, headers, redact }: Endpoint,
  calls: readonly RpcCall[],
  signal: AbortSignal,
  room: Room,
): Promise<{ readonly replies: readonly RpcReply[] } | Failure> {
  const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  countNodeCalls(
    chainId,
    calls.map(({ method }) => method),
  );
  let reply: Response;
  let body: unknown;
  try {
    reply = await sendRequest(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
      signal,
    });
    body = await readReply(reply, calls, room);
  } catch (error) {
    if (error instanceof BodyTooLargeError) {
      const isLongReply = JSON_RPC_START.test(error.start);
      const [only, ...others] = calls;
      const meaning = isLongReply && others.length === 0 ? MEANING_OF_LENGTH[only?.method ?? ''] : undefined;
      if (meaning !== undefined) return { replies: [meaning] };
      return { kind: isLongReply ? 'too-long' : 'down', reason: 'the reply is too long' };
    }
    const timedOut = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    // The error's message is omitted: it may contain the URL, and the URL a key.
    return timedOut
      ? { kind: 'timeout', reason: 'no answer in time' }
      : { kind: 'down', reason: 'the connection failed' };
  }
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  const replies = repliesOf(redact, items, calls.length);
  if (replies.some((each) => !('lost' in each))) return { replies };
  return failureOf(reply, errorOf(redact, items[0]), calls.length);
}

/** Matches replies to calls by id. The first one to a call counts, and those to no call are ignored. */
function repliesOf(redact: Redact, items: readonly unknown[], count: number): readonly RpcReply[] {
  if (count === 1 && items.length === 1) return [replyOf(redact, items[0])];
  const replies: RpcReply[] = Array.from({ length: count }, () => MISSING);
  for (const item of items) {
    const id = isObject(item) ? item['id'] : undefined;
    // Some providers return ids as strings.
    const index = typeof id === 'string' && /^\d{1,9}$/.test(id) ? Number(id) : id;
    if (typeof index === 'number' && replies[index] === MISSING) replies[index] = replyOf(redact, item);
  }
  return replies;
}

/** Why there is no reply to any call. @param error The one in place of the replies. */
function failureOf({ status, ok }: Response, error: RpcErrorObject | undefined, count: number): Failure {
  const isBusy = status === 429 || (error !== undefined && isOverload(error));
  const isRefused = error !== undefined || (status >= 400 && status < 500);
  if (status === 413 || (count > 1 && isRefused && !isBusy)) {
    return { kind: 'too-large', reason: 'the provider rejects the request as too large' };
  }
  if (error !== undefined) return { kind: 'down', reason: oneLine(error.message) };
  const reason = ok ? 'the provider does not respond in JSON-RPC' : `the provider responds with status ${status}`;
  return { kind: 'down', reason };
}

function replyOf(redact: Redact, item: unknown): RpcReply {
  const error = errorOf(redact, item);
  if (error !== undefined) return isOverload(error) ? { lost: oneLine(error.message) } : { error };
  return isObject(item) && 'result' in item ? { result: item['result'] } : { lost: 'the reply is invalid' };
}

function errorOf(redact: Redact, item: unknown): RpcErrorObject | undefined {
  const error = isObject(item) ? item['error'] : undefined;
  if (!isObject(error)) return undefined;
  const { message, code, data } = error;
  return {
    message: typeof message === 'string' ? nodeMessage(redact, message) : 'no message',
    code: typeof code === 'number' ? code : undefined,
    data: hexOf(data),
  };
}

/** Nodes put revert data in `data` or in `data.data`. */
function hexOf(data: unknown): Hex | undefined {
  if (isHex(data)) return data;
  return isObject(data) ? hexOf(data['data']) : undefined;
}

/** Words for what is too much of a query for logs, under the same code as a rate limit. */
const TOO_MANY_LOGS = /results|range|response size|query (timeout|returned)/i;

/**
 * Whether the provider's rate limit was hit, which says nothing about the call. The words of a revert are the
 * contract's.
 */
function isOverload({ message, code, data }: RpcErrorObject): boolean {
  if (code === REVERTED || data !== undefined || /^execution reverted/i.test(message)) return false;
  if (code !== 429 && TOO_MANY_LOGS.test(message)) return false;
  return code === 429 || code === -32_005 || /rate limit|too many requests|limit exceeded|capacity/i.test(message);
}

const MAX_MESSAGE = 1_000;
/** The most characters of a revert reason that are kept. */
export const MAX_REASON = 500;

/**
 * A node's error message as it is kept: at most 1,000 characters.
 * @param redact Removes what is secret in the node's URL.
 */
function nodeMessage(redact: Redact, message: string): string {
  return redact(message).slice(0, MAX_MESSAGE);
}

/**
 * Makes a contract's text safe to store and show. A token's receiver can choose that text: one NUL, which PostgreSQL
 * rejects, would otherwise fail the settlement of every order in the same batch.
 */
export function oneLine(text: string, maxLength = MAX_REASON): string {
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ');
}
