import { BaseError, HttpRequestError, RpcRequestError, createTransport } from 'viem';
import type { Transport } from 'viem';
import { z } from 'zod';
import { basicCredentials } from '../core/basic-credentials.ts';
import { ReplyTooLargeError, readText } from '../core/read-text.ts';

/** The most calls that go out in one batch. */
const BATCH_CALLS = 1_000;
/** The most bytes that are read of one HTTP reply. */
const REPLY_BYTES = 16 * 1_024 * 1_024;
/** The most bytes of the reply to one call: 64 KB that a contract returns, in hex digits, and what the node says with it. */
const ANSWER_BYTES = 192 * 1_024;
/** Methods whose answers may take the whole of a reply: their length is that of transactions and logs. */
const LONG_ANSWERS = new Set([
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getLogs',
]);
/** How many characters of a node's error message are kept. */
const MESSAGE_LENGTH = 1_000;

interface Call {
  readonly method: string;
  readonly params?: unknown;
}

interface Waiting {
  readonly call: Call;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Where calls are sent, and how. */
interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of the URL that may be shown: the rest can have a key in it. */
  readonly host: string;
}

const answerSchema = z.union([
  z.object({ id: z.int(), error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ id: z.int(), result: z.unknown() }).refine((answer) => answer.result !== undefined),
]);
type Answer = z.output<typeof answerSchema>;

/** The answer to a call is over its limit. */
export class AnswerTooLargeError extends BaseError {
  constructor(method: string) {
    super(`The answer to ${method} is longer than it may be.`, { name: 'AnswerTooLargeError' });
  }
}

/**
 * JSON-RPC 2.0 over HTTP. Calls made in the same tick leave as one batch. Each answer goes to the call whose id it
 * carries, whatever its place; a call without an answer of its own fails alone.
 *
 * A reply is read up to a limit that follows from its calls. Where it is longer, the batch is halved until the call with
 * the long answer stands alone, and only that one fails, with {@link AnswerTooLargeError}.
 *
 * Errors name the host of the node, never its whole URL.
 * @param timeoutMs For a batch, from its first byte sent to its last byte read, its halves included.
 */
export function jsonRpc(url: string, timeoutMs: number): Transport {
  const endpoint = endpointOf(url);
  let waiting: Waiting[] = [];
  const flush = () => {
    const calls = waiting;
    waiting = [];
    for (let start = 0; start < calls.length; start += BATCH_CALLS) {
      void send(endpoint, calls.slice(start, start + BATCH_CALLS), AbortSignal.timeout(timeoutMs));
    }
  };
  const request = (call: Call) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.push({ call, resolve, reject }) === 1) setTimeout(flush, 0);
    });
  return () =>
    createTransport({
      key: 'jsonRpc',
      name: 'JSON-RPC',
      type: 'jsonRpc',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a method answers is the caller's knowledge
      request: request as ReturnType<Transport>['request'],
      retryCount: 0,
    });
}

/** Credentials in a URL go into a header: fetch refuses them where they are. */
function endpointOf(url: string): Endpoint {
  const bare = new URL(url);
  const credentials = basicCredentials(bare);
  bare.username = '';
  bare.password = '';
  return {
    url: bare.href,
    host: bare.host,
    headers: {
      'content-type': 'application/json',
      ...(credentials === undefined ? {} : { authorization: `Basic ${credentials}` }),
    },
  };
}

/** Sends a batch and settles each of its calls; never throws. */
async function send(endpoint: Endpoint, batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
  let answers: ReadonlyMap<number, Answer>;
  try {
    answers = await post(endpoint, batch, signal);
  } catch (error) {
    const [first] = batch;
    if (!(error instanceof ReplyTooLargeError) || first === undefined) {
      for (const { call, reject } of batch) reject(failure(endpoint, call, error));
    } else if (batch.length === 1) {
      first.reject(new AnswerTooLargeError(first.call.method));
    } else {
      const half = Math.ceil(batch.length / 2);
      await send(endpoint, batch.slice(0, half), signal);
      await send(endpoint, batch.slice(half), signal);
    }
    return;
  }
  for (const [id, { call, resolve, reject }] of batch.entries()) {
    const answer = answers.get(id);
    if (answer === undefined) reject(failure(endpoint, call, 'The node did not answer this call'));
    else if ('error' in answer) reject(refusal(endpoint, call, answer.error));
    else resolve(answer.result);
  }
}

/** @returns the answers by the id of their call: its place in the batch. */
async function post(
  { url, headers }: Endpoint,
  batch: readonly Waiting[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Answer>> {
  const calls = batch.map(({ call: { method, params } }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(calls), signal });
  const text = await readText(reply, replyLimit(batch));
  const answers = new Map<number, Answer>();
  for (const item of itemsOf(text, reply.status)) {
    const { data: answer } = answerSchema.safeParse(item);
    if (answer !== undefined && !answers.has(answer.id)) answers.set(answer.id, answer);
  }
  return answers;
}

function itemsOf(text: string, status: number): readonly unknown[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error(`The node answered ${status} and something that is not JSON`);
  }
  if (!Array.isArray(body)) throw new Error(`The node answered ${status} and something that is not a batch`);
  return body;
}

function replyLimit(batch: readonly Waiting[]): number {
  const limits = batch.map(({ call }) => (LONG_ANSWERS.has(call.method) ? REPLY_BYTES : ANSWER_BYTES));
  return Math.min(
    REPLY_BYTES,
    limits.reduce((sum, limit) => sum + limit, 0),
  );
}

/** The call got no answer: whether it took effect is not known. */
function failure({ host }: Endpoint, { method }: Call, reason: unknown): Error {
  const details = reason instanceof Error ? reason.message : String(reason);
  return new HttpRequestError({ body: { method }, url: host, details });
}

/** What the node says of the call. */
function refusal(
  { host }: Endpoint,
  { method }: Call,
  { code, message, data }: Extract<Answer, { error: unknown }>['error'],
): Error {
  const error = { code, message: message.slice(0, MESSAGE_LENGTH), data };
  return new RpcRequestError({ body: { method }, error, url: host });
}
