import { waitUntil } from 'cloudflare:workers';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { sha256, stringToHex } from 'viem';
import { z } from 'zod';
import type { Actor } from '../accounts/actor.ts';
import type { AppEnv } from './app-env.ts';
import { KeyedRequest, type Replay } from './keyed-request.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The Idempotency-Key header, for route definitions. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(KEY, 'must be 1 to 255 printable ASCII characters without spaces')
    .optional()
    .meta({
      minLength: 1,
      maxLength: 255,
      description: 'A retry with the same key within IDEMPOTENCY_HOURS, at least 24 hours, gets the first response',
      example: 'order-7f3a',
    }),
});

/** The longest response that is stored to any request, in bytes. */
const STORED_BYTES = 64 * 1_024;
/**
 * How much longer it may be for each byte of the body: a reply has a document twice, and no request stores much more
 * than it sends.
 */
const STORED_PER_BYTE = 4;
/** The longest that is stored at all. */
const MAX_STORED_BYTES = 2 * 1_024 * 1_024;

/**
 * Makes a POST with an Idempotency-Key safe to retry: a retry gets the status and body of the first response. The change
 * claims the key in its own transaction, so that of several attempts at once one makes it, and the others get its
 * response. A request that has changed nothing, refused or not, holds no key: its retry is a new request, which may be
 * a corrected one.
 *
 * The response is stored while it is sent. An attempt that crashes before leaves a key without a response: the ids of
 * what a request creates are derived from a random seed that is stored with the key, so a retry finds the records
 * instead of creating them again, and the ids tell nothing about the key or its holder.
 */
export const idempotent: MiddlewareHandler<AppEnv> = (c, next) => {
  const { id } = c.get('account');
  const actor = c.get('actor');
  return replayable(c, next, { holder: actor.type === 'operator' ? id : `${id}:${nameOf(actor)}`, actor });
};

/**
 * As `idempotent`, for requests with the admin key, whose Idempotency-Keys are separate from those of every account.
 */
export const idempotentForOperator: MiddlewareHandler<AppEnv> = (c, next) =>
  replayable(c, next, { holder: 'operator', actor: { type: 'admin' } });

/** Who sends a request. */
interface Caller {
  /**
   * Whose its Idempotency-Keys are: a caller must not occupy those of others. Those of all global API keys are the
   * same.
   */
  readonly holder: string;
  readonly actor: Actor;
}

async function replayable(c: Context<AppEnv>, next: Next, { holder, actor }: Caller) {
  const key = c.req.header('idempotency-key');
  // A malformed key is refused by the schema of the route, with every other fault.
  if (key === undefined || !KEY.test(key) || c.req.method !== 'POST') return next();
  const body = await c.req.text();
  const keyed = new KeyedRequest(c.get('services'), c.get('asked'), {
    holder,
    key,
    requestHash: requestHashOf(actor, `${c.req.method} ${c.req.path}\n${body}`),
  });
  const earlier = await keyed.findReply();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that of a response
  if (earlier !== undefined) return c.body(earlier.body, earlier.statusCode as ContentfulStatusCode, REPLAYED);
  c.set('keyed', keyed);
  await next();
  // A server error, or a refusal by a limit, is not stored: a retry runs the request again, with the same ids. Neither
  // is a response that is too long: the retry then finds what was created.
  if (c.res.status >= 500) return undefined;
  if (!ALONE.has(c.res.status) && (await replyOfOther(c, keyed))) return undefined;
  if (c.res.status === 429) return undefined;
  const replay = c.get('replay') ?? (await storable(c.res.clone(), body.length));
  const ended = keyed.end(replay, c.get('hasSecretReply') === true);
  waitUntil(ended.catch((error: unknown) => c.get('log').error('idempotency.reply_not_stored', { error })));
  return undefined;
}

/** The headers of a reply that was stored. */
const REPLAYED = { 'content-type': 'application/json', 'idempotent-replayed': 'true' };
/** The statuses of refusals for which no other attempt is the reason. */
const ALONE: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/** Replaces a response by that to another attempt. @returns whether there is one. */
async function replyOfOther(c: Context<AppEnv>, keyed: KeyedRequest): Promise<boolean> {
  let other: Replay | undefined;
  try {
    other = await keyed.findReplyOfOther();
  } catch (error) {
    // It is about the key, not about what the own response is.
    c.header('Retry-After', undefined);
    throw error;
  }
  if (other === undefined) return false;
  const policy = c.res.headers.get('ratelimit-policy');
  const headers = { ...REPLAYED, ...(policy === null ? {} : { 'ratelimit-policy': policy }) };
  // Otherwise the headers of the own response are added.
  c.res = undefined;
  c.res = new Response(other.body, { status: other.statusCode, headers });
  return true;
}

/**
 * What is stored of a response; undefined if it is too long to be stored.
 * @param requested The length of the request's body.
 */
async function storable(response: Response, requested: number): Promise<Replay | undefined> {
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > Math.min(MAX_STORED_BYTES, STORED_BYTES + STORED_PER_BYTE * requested)) return undefined;
  return { statusCode: response.status, body: new TextDecoder().decode(bytes) };
}

/**
 * Includes who made the request, unless it was a global API key: another caller may be allowed less or more, or be for
 * other chains, and so gets no response to a request that it did not make.
 */
function requestHashOf(actor: Actor, request: string): string {
  if (actor.type === 'operator') return sha256(stringToHex(request));
  return sha256(stringToHex(`${nameOf(actor)} ${request}`));
}

function nameOf(actor: Actor): string {
  return actor.type === 'key' ? actor.key.id : actor.type;
}
