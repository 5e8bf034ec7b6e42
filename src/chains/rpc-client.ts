import { isHex } from 'viem';
import type { Hex } from 'viem';
import { BodyTooLargeError } from '../core/read-text.ts';
import { redactionOfUrl } from '../core/redaction.ts';
import type { Redact } from '../core/redaction.ts';
import { sendRequest } from '../core/send-request.ts';
import { isOverload } from './is-overload.ts';
import { nodeMessage } from './node-message.ts';
import { readReply } from './read-reply.ts';
import { oneLine } from './rpc-error.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A JSON-RPC error object. */
export interface RpcErrorObject {
  readonly message: string;
  readonly code: number | undefined;
  /** The revert data of a call. */
  readonly data: Hex | undefined;
}

/** The reply to a call. `lost`: no node replied; the call may have taken effect. */
export type RpcReply = { readonly result: unknown } | { readonly error: RpcErrorObject } | { readonly lost: string };

export interface RpcClient {
  /**
   * Makes calls in as few JSON-RPC batches as the provider allows, sequentially and in order. Never throws.
   * @returns one reply per call, in order, matched by id.
   */
  request(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /** The same with several batches in parallel. */
  requestInParallel(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /** Makes the same calls of every provider by itself. @returns the replies of each. */
  requestOfEach(calls: readonly RpcCall[]): Promise<readonly (readonly RpcReply[])[]>;
}

interface RpcOptions {
  /** The initial number of calls in a batch. */
  readonly batchSize: number;
  readonly timeoutMs: number;
}

/** Parallel batches of one lane; the platform allows six connections per invocation. */
const MAX_PARALLEL = 4;
/** How long a provider that failed is not tried; twice as long after each further failure, up to the maximum. */
const AVOID_MS = 15_000;
const MAX_AVOID_MS = 240_000;

/** Why an HTTP request got no usable response. */
interface Failure {
  /**
   * - `too-large`: the provider does not accept a batch of this size
   * - `too-long`: the response in JSON-RPC is longer than is read of it
   * - `timeout`: the batch is too large, or one of its calls is slow
   */
  readonly kind: 'too-large' | 'too-long' | 'timeout' | 'down';
  readonly reason: string;
}

/** A provider's URL and what has been learned about it. */
interface Provider {
  readonly url: string;
  readonly redact: Redact;
  /** Larger batches were rejected as too large. */
  maxBatchSize: number;
  batchSize: number;
  avoidUntil: number;
  /** Since it last replied. */
  failures: number;
}

/**
 * Creates a JSON-RPC client over HTTP. Replies are matched by id, a missing one does not shift the others and is
 * asked for once more, and every request times out. A batch that is too large or times out, or whose reply is too long, is split, so that one call
 * does not fail the others.
 * @param urls Tried in order.
 */
export function createRpcClient(urls: readonly string[], { batchSize, timeoutMs }: RpcOptions): RpcClient {
  const providers: Provider[] = urls.map((url) => ({
    url,
    redact: redactionOfUrl(url),
    batchSize,
    maxBatchSize: batchSize,
    avoidUntil: 0,
    failures: 0,
  }));

  const send = async (calls: readonly RpcCall[]): Promise<readonly RpcReply[]> => {
    const now = Date.now();
    const usable = providers.filter(({ avoidUntil }) => avoidUntil <= now);
    let reason = 'no provider';
    for (const provider of usable.length > 0 ? usable : providers) {
      const answer = await post(provider, calls, timeoutMs);
      if ('replies' in answer) {
        provider.failures = 0;
        // Each full batch that succeeds raises the size by one, so that one timeout does not keep batches small for good.
        if (calls.length >= provider.batchSize) provider.batchSize = Math.min(provider.maxBatchSize, calls.length + 1);
        return await withMissing(provider, calls, answer.replies);
      }
      if (answer.kind === 'too-long' && calls.length === 1 && isSimulation(calls[0])) return [TOO_LONG];
      if (answer.kind !== 'down' && calls.length > 1) return await inParts(provider, calls, answer.kind);
      if (answer.kind !== 'too-large') avoid(provider);
      reason = answer.reason;
    }
    return calls.map(() => ({ lost: reason }));
  };
  /** Sends the calls again in smaller batches, after one failed because of its size or because of one of them. */
  const inParts = (provider: Provider, calls: readonly RpcCall[], kind: Exclude<Failure['kind'], 'down'>) => {
    if (kind === 'too-long') return sequentially(send, calls, Math.ceil(calls.length / 2));
    provider.batchSize = Math.max(1, Math.floor(Math.min(provider.batchSize, calls.length) / 2));
    if (kind === 'timeout') return individually(send, calls);
    provider.maxBatchSize = provider.batchSize;
    return sequentially(send, calls, provider.batchSize);
  };
  /** Asks once more for what a provider has left out of its response. */
  const withMissing = async (provider: Provider, calls: readonly RpcCall[], replies: readonly RpcReply[]) => {
    const missing = [...calls.keys()].filter((index) => replies[index] === MISSING);
    if (missing.length === 0 || missing.length === calls.length) return replies;
    const answer = await post(
      provider,
      calls.filter((_, index) => missing.includes(index)),
      timeoutMs,
    );
    if (!('replies' in answer)) return replies;
    return replies.map((reply, index) => answer.replies[missing.indexOf(index)] ?? reply);
  };
  // If every provider has failed recently, the first one is used anyway.
  const sizeNow = () =>
    (providers.find(({ avoidUntil }) => avoidUntil <= Date.now()) ?? providers[0])?.batchSize ?? batchSize;

  return {
    request: (calls) => sequentially(send, calls, sizeNow()),
    async requestInParallel(calls) {
      const chunks = chunksOf(calls, sizeNow());
      const replies = await inParallel(chunks, MAX_PARALLEL, send);
      return replies.flat();
    },
    requestOfEach: (calls) =>
      Promise.all(urls.map((url) => createRpcClient([url], { batchSize: sizeNow(), timeoutMs }).request(calls))),
  };
}

/** Parallel requests fail together: that counts as one failure. */
function avoid(provider: Provider): void {
  const now = Date.now();
  if (provider.avoidUntil > now) return;
  provider.avoidUntil = now + Math.min(MAX_AVOID_MS, AVOID_MS * 2 ** provider.failures);
  provider.failures += 1;
}

type Send = (calls: readonly RpcCall[]) => Promise<readonly RpcReply[]>;

async function sequentially(send: Send, calls: readonly RpcCall[], size: number): Promise<readonly RpcReply[]> {
  const replies: RpcReply[] = [];
  for (const chunk of chunksOf(calls, size)) replies.push(...(await send(chunk)));
  return replies;
}

/** Sends each call on its own, so that only a slow call is lost. Stops once several in a row are lost. */
async function individually(send: Send, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  let lostInARow = 0;
  const replies = await inParallel(
    calls.map((call) => [call]),
    MAX_PARALLEL,
    async (single) => {
      if (lostInARow >= MAX_PARALLEL) return [{ lost: 'the provider does not answer' }];
      const answer = await send(single);
      lostInARow = answer.some((reply) => 'lost' in reply) ? lostInARow + 1 : 0;
      return answer;
    },
  );
  return replies.flat();
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next; index < items.length; index = next) {
      next += 1;
      const item = items[index];
      if (item !== undefined) results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The code of a revert, as most nodes have it. */
const REVERTED = 3;

/** The outcome of a call whose contract returns more, or reverts with more, than is read. */
const TOO_LONG: RpcReply = {
  error: { code: REVERTED, message: 'execution reverted: the response of the contract is too long', data: undefined },
};

const TOO_LARGE: Failure = { kind: 'too-large', reason: 'the provider rejects the request as too large' };

/** Whether a contract determines the length of the reply. */
function isSimulation(call: RpcCall | undefined): boolean {
  return call?.method === 'eth_call' || call?.method === 'eth_estimateGas';
}

/** The start of a JSON-RPC response, as opposed to the error page of a proxy. */
const JSON_RPC_START = /^\s*\[?\s*\{\s*"(?:jsonrpc|id|error|result)"\s*:/;

const MISSING: RpcReply = { lost: 'missing from the batch response' };

/** Sends one HTTP request. A single call is sent without an array, because not every provider accepts batches. */
async function post(
  { url, redact }: Provider,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<{ readonly replies: readonly RpcReply[] } | Failure> {
  const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  let body: unknown;
  try {
    const reply = await sendRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readReply(reply, calls);
    if (reply.status === 413) return TOO_LARGE;
    body = jsonOf(text);
    if (!reply.ok && body === undefined)
      return { kind: 'down', reason: `the provider responds with status ${reply.status}` };
  } catch (error) {
    if (error instanceof BodyTooLargeError) {
      return { kind: JSON_RPC_START.test(error.start) ? 'too-long' : 'down', reason: 'the reply is too long' };
    }
    const timedOut = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    // The error's message is omitted: it may contain the URL, and the URL a key.
    return timedOut
      ? { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` }
      : { kind: 'down', reason: 'the connection failed' };
  }
  if (!Array.isArray(body)) {
    if (calls.length === 1) return { replies: [replyOf(redact, body)] };
    const error = errorOf(redact, body);
    if (error === undefined) return { kind: 'down', reason: 'the provider does not respond in JSON-RPC' };
    return isOverload(error) ? { kind: 'down', reason: oneLine(error.message) } : TOO_LARGE;
  }
  const replies: RpcReply[] = calls.map(() => MISSING);
  for (const item of body) {
    const id: unknown = isObject(item) ? item['id'] : undefined;
    if (typeof id === 'number' && id in replies) replies[id] = replyOf(redact, item);
  }
  return { replies };
}

function replyOf(redact: Redact, item: unknown): RpcReply {
  const error = errorOf(redact, item);
  if (error !== undefined) return isOverload(error) ? { lost: oneLine(error.message) } : { error };
  return isObject(item) && 'result' in item ? { result: item['result'] } : { lost: 'the reply is invalid' };
}

function errorOf(redact: Redact, item: unknown): RpcErrorObject | undefined {
  const error: unknown = isObject(item) ? item['error'] : undefined;
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
