import { isHex } from 'viem';
import type { Hex } from 'viem';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node said is wrong with a call. */
export interface RpcErrorParts {
  readonly message: string;
  readonly code: number | undefined;
  /** What a call reverted with. */
  readonly data: Hex | undefined;
}

/** What became of a call. `lost`: no node gave an answer to it; it may have taken effect. */
export type RpcReply = { readonly result: unknown } | { readonly fault: RpcErrorParts } | { readonly lost: string };

export interface RpcClient {
  /**
   * Makes calls, as few JSON-RPC batches as the provider takes, one after another in order. Never throws.
   * @returns one reply for each call, in order, matched by id.
   */
  request(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /** The same, several batches at a time. */
  requestAtOnce(calls: readonly RpcCall[]): Promise<readonly RpcReply[]>;
  /** Makes the same calls of every provider by itself. @returns the replies of each. */
  requestOfEach(calls: readonly RpcCall[]): Promise<readonly (readonly RpcReply[])[]>;
}

interface RpcOptions {
  /** Calls in a batch to start with. */
  readonly batchSize: number;
  readonly timeoutMs: number;
}

/** A reply that is longer is not read to its end. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;
/** Batches of one wallet at a time: six connections are all that an invocation has. */
const AT_ONCE = 4;
/** For how long a provider that failed is not asked first. */
const AVOID_MS = 15_000;

/** Why a whole HTTP request gave no answers. */
type Failure =
  /** The provider takes no batch of this size. */
  | { readonly kind: 'too-large' }
  /** It took too long: too much was asked, or one call of the batch holds up the others. */
  | { readonly kind: 'timeout'; readonly reason: string }
  | { readonly kind: 'down'; readonly reason: string };

/** One URL, with what is known of it. */
interface Provider {
  readonly url: string;
  /** More calls than this in a batch were too large. */
  mostCalls: number;
  batchSize: number;
  avoidUntil: number;
}

/**
 * JSON-RPC over HTTP: replies are matched by id, a missing one is lost and shifts no other, and every request has an
 * end. URLs are tried in order. A batch that is too large or times out is asked again in smaller ones, so that one
 * slow call does not take the others with it.
 * @param urls Tried in order.
 */
export function createRpcClient(urls: readonly string[], { batchSize, timeoutMs }: RpcOptions): RpcClient {
  const providers: Provider[] = urls.map((url) => ({ url, batchSize, mostCalls: batchSize, avoidUntil: 0 }));

  const ask = async (calls: readonly RpcCall[]): Promise<readonly RpcReply[]> => {
    const now = Date.now();
    const usable = providers.filter(({ avoidUntil }) => avoidUntil <= now);
    let reason = 'no provider';
    for (const provider of usable.length > 0 ? usable : providers) {
      const answer = await post(provider.url, calls, timeoutMs);
      if ('replies' in answer) {
        // One slow answer does not keep batches small for good: each full one that succeeds makes room for one call more.
        if (calls.length >= provider.batchSize) provider.batchSize = Math.min(provider.mostCalls, calls.length + 1);
        return answer.replies;
      }
      if (answer.kind !== 'down' && calls.length > 1) {
        provider.batchSize = Math.max(1, Math.floor(Math.min(provider.batchSize, calls.length) / 2));
        if (answer.kind === 'too-large') provider.mostCalls = provider.batchSize;
        return answer.kind === 'too-large' ? await inOrder(ask, calls, provider.batchSize) : await alone(ask, calls);
      }
      reason = answer.kind === 'too-large' ? 'the provider refuses the request as too large' : answer.reason;
      if (answer.kind === 'down') provider.avoidUntil = Date.now() + AVOID_MS;
    }
    return calls.map(() => ({ lost: reason }));
  };
  // Where every provider has failed lately, the first is asked all the same.
  const sizeNow = () =>
    (providers.find(({ avoidUntil }) => avoidUntil <= Date.now()) ?? providers[0])?.batchSize ?? batchSize;

  return {
    request: (calls) => inOrder(ask, calls, sizeNow()),
    async requestAtOnce(calls) {
      const chunks = chunksOf(calls, sizeNow());
      const replies = await inParallel(chunks, AT_ONCE, ask);
      return replies.flat();
    },
    requestOfEach: (calls) =>
      Promise.all(urls.map((url) => createRpcClient([url], { batchSize: sizeNow(), timeoutMs }).request(calls))),
  };
}

type Ask = (calls: readonly RpcCall[]) => Promise<readonly RpcReply[]>;

async function inOrder(ask: Ask, calls: readonly RpcCall[], size: number): Promise<readonly RpcReply[]> {
  const replies: RpcReply[] = [];
  for (const chunk of chunksOf(calls, size)) replies.push(...(await ask(chunk)));
  return replies;
}

/** Each call by itself: what is slow is lost alone. Once several in a row are lost, nothing more is asked. */
async function alone(ask: Ask, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  let lostInARow = 0;
  const replies = await inParallel(
    calls.map((call) => [call]),
    AT_ONCE,
    async (single) => {
      if (lostInARow >= AT_ONCE) return [{ lost: 'the provider does not answer' }];
      const answer = await ask(single);
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

/** One HTTP request. A single call goes out bare: not every provider takes batches. */
async function post(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<{ readonly replies: readonly RpcReply[] } | Failure> {
  const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  let body: unknown;
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(bodies.length === 1 ? bodies[0] : bodies),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await textOf(reply);
    if (reply.status === 413) return { kind: 'too-large' };
    body = jsonOf(text);
    if (!reply.ok && body === undefined) return { kind: 'down', reason: `the provider answers ${reply.status}` };
  } catch (error) {
    const timedOut = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
    // The error's own text is left out: it can have the URL in it, and that a key.
    return timedOut
      ? { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` }
      : { kind: 'down', reason: 'the connection failed' };
  }
  if (!Array.isArray(body)) {
    if (calls.length === 1) return { replies: [replyOf(body)] };
    const fault = faultOf(body);
    if (fault === undefined) return { kind: 'down', reason: 'the provider gives no JSON-RPC answer' };
    return isOverload(fault) ? { kind: 'down', reason: fault.message } : { kind: 'too-large' };
  }
  const replies: RpcReply[] = calls.map(() => ({ lost: 'the provider left it out of its answer' }));
  for (const item of body) {
    const id: unknown = isObject(item) ? item['id'] : undefined;
    if (typeof id === 'number' && id in replies) replies[id] = replyOf(item);
  }
  return { replies };
}

function replyOf(item: unknown): RpcReply {
  const fault = faultOf(item);
  if (fault !== undefined) return isOverload(fault) ? { lost: fault.message } : { fault };
  return isObject(item) && 'result' in item ? { result: item['result'] } : { lost: 'the answer makes no sense' };
}

function faultOf(item: unknown): RpcErrorParts | undefined {
  const error: unknown = isObject(item) ? item['error'] : undefined;
  if (!isObject(error)) return undefined;
  const { message, code, data } = error;
  return {
    message: typeof message === 'string' ? message.slice(0, 1_000) : 'no message',
    code: typeof code === 'number' ? code : undefined,
    data: hexOf(data),
  };
}

/** Nodes put what a call reverted with into `data`, or into `data.data`. */
function hexOf(data: unknown): Hex | undefined {
  if (isHex(data)) return data;
  return isObject(data) ? hexOf(data['data']) : undefined;
}

/** The provider's limits, which say nothing of the call. */
function isOverload({ message, code }: RpcErrorParts): boolean {
  return code === 429 || code === -32_005 || /rate limit|too many requests|limit exceeded|capacity/i.test(message);
}

/** @throws {Error} when the body is over {@link MAX_REPLY_BYTES}. */
async function textOf(reply: Response): Promise<string> {
  if (reply.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of reply.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_REPLY_BYTES) throw new Error('The reply is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
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
