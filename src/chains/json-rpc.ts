import { BaseError, HttpRequestError, RpcRequestError, createTransport } from 'viem';
import type { Transport } from 'viem';
import { z } from 'zod';
import { basicCredentials } from '../core/basic-credentials.ts';
import { BodyTooLargeError } from '../core/read-text.ts';
import { redactionOfUrl } from '../core/redaction.ts';
import type { Redact } from '../core/redaction.ts';
import { sendRequest } from '../core/send-request.ts';
import { isOverload } from './is-overload.ts';
import { nodeMessage } from './node-message.ts';
import { readReply } from './read-reply.ts';

/** The most calls in one batch. */
const BATCH_CALLS = 1_000;
/** The most responses without a call of their own that are looked at. */
const EXTRA_RESPONSES = 100;

interface Call {
  readonly method: string;
  readonly params?: unknown;
}

interface PendingCall {
  readonly call: Call;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A node, with its URL split into what is sent and what may be shown. */
interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The only part of the URL that may be shown: the rest can contain an API key. */
  readonly host: string;
  readonly redact: Redact;
}

const responseSchema = z.union([
  z.object({ id: z.int(), error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }) }),
  z.object({ id: z.int(), result: z.unknown() }).refine((response) => response.result !== undefined),
]);
type RpcResponse = z.output<typeof responseSchema>;
const refusalSchema = z.object({ error: z.object({ code: z.number().optional(), message: z.string() }) });

/** The response to a call is longer than its limit. */
export class ResponseTooLargeError extends BaseError {
  constructor(method: string) {
    super(`The response to ${method} is over its size limit.`, { name: 'ResponseTooLargeError' });
  }
}

/**
 * A viem transport for JSON-RPC 2.0 over HTTP. Calls made in the same tick are sent as one batch. Responses are matched to
 * calls by id, not by position; a call without a response fails alone.
 *
 * The size limit of an HTTP response follows from its calls. When a response is longer, the batch is halved and sent again
 * until the call with the oversized response is alone; only that one fails, with {@link ResponseTooLargeError}. A batch that the node
 * refuses is halved too: providers limit how many calls it may have.
 *
 * Errors name the node's host, never its whole URL.
 * @param timeoutMs For a whole batch, halves included.
 */
export function jsonRpc(url: string, timeoutMs: number): Transport {
  const endpoint = endpointOf(url);
  let pending: PendingCall[] = [];
  const flush = () => {
    const calls = pending;
    pending = [];
    for (let start = 0; start < calls.length; start += BATCH_CALLS) {
      void send(endpoint, calls.slice(start, start + BATCH_CALLS), AbortSignal.timeout(timeoutMs));
    }
  };
  const request = (call: Call) =>
    new Promise<unknown>((resolve, reject) => {
      if (pending.push({ call, resolve, reject }) === 1) setTimeout(flush, 0);
    });
  return () =>
    createTransport({
      key: 'jsonRpc',
      name: 'JSON-RPC',
      type: 'jsonRpc',
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller knows what a method returns
      request: request as ReturnType<Transport>['request'],
      retryCount: 0,
    });
}

/** Moves credentials from the URL into a header: `fetch` rejects URLs that contain them. */
function endpointOf(url: string): Endpoint {
  const bare = new URL(url);
  const credentials = basicCredentials(bare);
  bare.username = '';
  bare.password = '';
  return {
    url: bare.href,
    host: bare.host,
    redact: redactionOfUrl(url),
    headers: {
      'content-type': 'application/json',
      ...(credentials === undefined ? {} : { authorization: `Basic ${credentials}` }),
    },
  };
}

/** The node's error for a whole batch. */
class BatchRefusedError extends Error {}

/** Sends a batch and settles each of its calls; never throws. */
async function send(endpoint: Endpoint, batch: readonly PendingCall[], signal: AbortSignal): Promise<void> {
  let responses: ReadonlyMap<number, RpcResponse>;
  try {
    responses = await post(endpoint, batch, signal);
  } catch (error) {
    const [first] = batch;
    const isTooLarge = error instanceof BodyTooLargeError;
    if (first === undefined || !(isTooLarge || (error instanceof BatchRefusedError && batch.length > 1))) {
      for (const { call, reject } of batch) reject(unanswered(endpoint, call, error));
    } else if (batch.length === 1) {
      first.reject(new ResponseTooLargeError(first.call.method));
    } else {
      const half = Math.ceil(batch.length / 2);
      await send(endpoint, batch.slice(0, half), signal);
      await send(endpoint, batch.slice(half), signal);
    }
    return;
  }
  for (const [id, { call, resolve, reject }] of batch.entries()) {
    const response = responses.get(id);
    if (response === undefined) reject(unanswered(endpoint, call, 'The node did not answer this call'));
    else if ('error' in response) reject(rpcError(endpoint, call, response.error));
    else resolve(response.result);
  }
}

/** @returns the responses by call id, which is the call's index in the batch. */
async function post(
  { url, headers }: Endpoint,
  batch: readonly PendingCall[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, RpcResponse>> {
  const calls = batch.map(({ call: { method, params } }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const reply = await sendRequest(url, { method: 'POST', headers, body: JSON.stringify(calls), signal });
  const text = await readReply(reply, calls);
  const responses = new Map<number, RpcResponse>();
  // More than one response to each call is nonsense, of which there may be plenty.
  for (const item of itemsOf(text, reply.status).slice(0, batch.length + EXTRA_RESPONSES)) {
    const { data: response } = responseSchema.safeParse(item);
    if (response !== undefined && !responses.has(response.id)) responses.set(response.id, response);
  }
  return responses;
}

function itemsOf(text: string, status: number): readonly unknown[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Error(`The node answered ${status} with a body that is not JSON`);
  }
  if (Array.isArray(body)) return body;
  const message = `The node answered ${status} with a body that is not a batch`;
  const { data: refusal } = refusalSchema.safeParse(body);
  throw refusal === undefined || isOverload(refusal.error) ? new Error(message) : new BatchRefusedError(message);
}

/** The call got no response: whether it took effect is unknown. */
function unanswered({ host }: Endpoint, { method }: Call, reason: unknown): Error {
  const details = reason instanceof Error ? reason.message : String(reason);
  return new HttpRequestError({ body: { method }, url: host, details });
}

/** The node's error response to the call. */
function rpcError(
  { host, redact }: Endpoint,
  { method }: Call,
  { code, message, data }: Extract<RpcResponse, { error: unknown }>['error'],
): Error {
  const error = { code, message: nodeMessage(redact, message), data };
  return new RpcRequestError({ body: { method }, error, url: host });
}
