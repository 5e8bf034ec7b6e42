import type { Context, MiddlewareHandler, Next } from 'hono';
import { sha256, stringToHex } from 'viem';
import { z } from 'zod';
import type { Actor } from '../accounts/actor.ts';
import { claimKey, forgetKey, releaseKey, replyContext, storeResponse } from '../platform/database/idempotency-keys.ts';
import { DomainError } from '../core/domain-error.ts';
import { newId, timePart } from '../core/record-id.ts';
import { tenantOf } from '../platform/database/client.ts';
import type { AppEnv, Replay } from './router.ts';

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

/** Longer than any request takes. A retry during the first attempt gets 409; a crashed attempt stops blocking after this. */
const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The longest response that is stored to any request, in bytes. */
const STORED_BYTES = 64 * 1_024;
/** How much longer it may be for each byte of the body: a reply has a document twice, and no request stores much more than it sends. */
const STORED_PER_BYTE = 4;
/** The longest that is stored at all. */
const MAX_STORED_BYTES = 2 * 1_024 * 1_024;

/**
 * Makes a POST with an Idempotency-Key safe to retry: a retry gets the status and body of the first response. A request that was refused before
 * it did anything holds no key: its retry is a new request, which may be a corrected one.
 *
 * An attempt can crash after it has created something and before its response is stored. Therefore the ids of what such a
 * request creates are derived from a random seed that is stored with the key: a retry finds the existing records instead of creating them again,
 * and the ids tell nothing about the key or its holder.
 */
export const idempotent: MiddlewareHandler<AppEnv> = (c, next) => {
  const { id } = c.get('account');
  const actor = c.get('actor');
  return replayable(c, next, { holder: actor.type === 'operator' ? id : `${id}:${nameOf(actor)}`, actor });
};

/** As {@link idempotent}, for requests with the admin key, whose Idempotency-Keys are separate from those of every account. */
export const idempotentForOperator: MiddlewareHandler<AppEnv> = (c, next) =>
  replayable(c, next, { holder: 'operator', actor: { type: 'admin' } });

/** Who sends a request. */
interface Caller {
  /** Whose its Idempotency-Keys are: a caller must not occupy those of others. Those of all global API keys are the same. */
  readonly holder: string;
  readonly actor: Actor;
}

async function replayable(c: Context<AppEnv>, next: Next, { holder, actor }: Caller): Promise<Response | undefined> {
  const key = c.req.header('idempotency-key');
  // A malformed key is refused by the schema of the route, with every other fault.
  if (key === undefined || !KEY.test(key) || c.req.method !== 'POST') {
    await next();
    return undefined;
  }
  const { db: everyone, clock, encryption, settings } = c.get('services');
  const db = tenantOf(everyone, holder);
  const now = new Date(clock.now());
  const claimId = newId(now.getTime());
  const body = await c.req.text();
  const requestHash = requestHashOf(actor, `${c.req.method} ${c.req.path}\n${body}`);
  const retentionMs = settings.IDEMPOTENCY_HOURS * HOUR_MS;
  const idSeed = crypto.randomUUID();
  const claim = { key, claimId, requestHash, idSeed, now, leaseMs: LEASE_MS, retentionMs };
  const row = await claimKey(db, claim);
  if (row.requestHash !== requestHash) {
    throw new DomainError('idempotency_key_reused', 'The Idempotency-Key was used with a different request');
  }
  const context = replyContext(row);
  if (row.statusCode !== null) {
    const stored = row.isEncrypted && row.body !== null ? await encryption.decrypt(row.body, context) : row.body;
    return new Response(stored, {
      status: row.statusCode,
      headers: { 'content-type': 'application/json', 'idempotent-replayed': 'true' },
    });
  }
  if (row.claimId !== claimId) {
    throw new DomainError('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running');
  }

  c.set('newId', idsOf(row.idSeed, row.createdAt.getTime()));
  await next();
  const isLimited = c.res.status === 429;
  const isRefused = c.res.status >= 400 && c.res.status < 500;
  // The first attempt was refused, and nothing was done: a retry is a new request, whose reply is kept for the full time.
  if (isRefused && row.createdAt.getTime() === now.getTime()) {
    await forgetKey(db, { key, claimId });
    return undefined;
  }
  // A server error or a refusal of a later attempt by a limit is not stored, so that a retry runs the request again, with the same ids: a
  // statement of an attempt that got no reply may still take effect, and so any other refusal of a later attempt is final. Neither is a
  // response stored that is too long: the retry then finds what was created.
  const isFinal = c.res.status < 500 && !isLimited;
  const replay = isFinal ? (c.get('replay') ?? (await storable(c.res.clone(), body.length))) : undefined;
  if (replay === undefined) await releaseKey(db, { key, claimId }, new Date(clock.now()));
  else if (c.get('hasSecretReply') === true) {
    const encrypted = await encryption.encrypt(replay.body, context);
    await storeResponse(db, { key, claimId }, { ...replay, body: encrypted, isEncrypted: true });
  } else await storeResponse(db, { key, claimId }, { ...replay, isEncrypted: false });
  return undefined;
}

/** What is stored of a response; undefined if it is too long to be stored. @param requested The length of the request's body. */
async function storable(response: Response, requested: number): Promise<Replay | undefined> {
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > Math.min(MAX_STORED_BYTES, STORED_BYTES + STORED_PER_BYTE * requested)) return undefined;
  return { statusCode: response.status, body: new TextDecoder().decode(bytes) };
}

/**
 * Includes who made the request, unless it was a global API key: another caller may be allowed less or more, or be for other chains,
 * and so gets no response to a request that it did not make.
 */
function requestHashOf(actor: Actor, request: string): string {
  if (actor.type === 'operator') return sha256(stringToHex(request));
  return sha256(stringToHex(`${nameOf(actor)} ${request}`));
}

function nameOf(actor: Actor): string {
  return actor.type === 'key' ? actor.key.id : actor.type;
}

/** Deterministic ids: the time of the first attempt, then bits derived from the seed and a counter. */
function idsOf(seed: string, time: number): () => string {
  let count = 0;
  return () => {
    count += 1;
    return timePart(time) + sha256(stringToHex(`${seed}:${count}`)).slice(2, 14);
  };
}
