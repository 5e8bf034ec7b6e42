import { waitUntil } from 'cloudflare:workers';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { sha256, stringToHex } from 'viem';
import { z } from 'zod';
import type { Actor } from '../accounts/actor.ts';
import { DomainError } from '../core/domain-error.ts';
import { timePart } from '../core/record-id.ts';
import { type AskedChange, tenantOf, type TenantDb } from '../platform/database/client.ts';
import { Assumptions, confirming, Outdated } from '../platform/database/assumptions.ts';
import {
  claimStatement,
  forgetKey,
  keyQuery,
  replyContext,
  storeReply,
  type IdempotencyKey,
  type NewKey,
} from '../platform/database/idempotency-keys.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Services } from '../services.ts';
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

const HOUR_MS = 3_600_000;
/** The header of a reply that was stored. */
const REPLAYED = 'idempotent-replayed';
/** The longest response that is stored to any request, in bytes. */
const STORED_BYTES = 64 * 1_024;
/** How much longer it may be for each byte of the body: a reply has a document twice, and no request stores much more than it sends. */
const STORED_PER_BYTE = 4;
/** The longest that is stored at all. */
const MAX_STORED_BYTES = 2 * 1_024 * 1_024;

/**
 * Makes a POST with an Idempotency-Key safe to retry: a retry gets the status and body of the first response. That the key is new is assumed,
 * and confirmed with the request's first query. The change claims the key in its own transaction, so that of several attempts one makes
 * it, and the others find what it has stored. A request that was refused and has changed nothing holds no key: its retry is a new request,
 * which may be a corrected one.
 *
 * The response is stored while it is sent. An attempt that crashes before leaves a key without a response: the ids of what a request creates
 * are derived from a random seed that is stored with the key, so a retry finds the records instead of creating them again, and the ids tell
 * nothing about the key or its holder.
 */
export const idempotent: MiddlewareHandler<AppEnv> = (c, next) => {
  const { id } = c.get('account');
  const actor = c.get('actor');
  return replayable(c, next, { holder: actor.type === 'operator' ? id : `${id}:${nameOf(actor)}`, actor });
};

/** The same for requests with the admin key, whose Idempotency-Keys are separate from those of every account. */
export const idempotentForOperator: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { db, ...services } = c.get('services');
  const assumptions = new Assumptions();
  c.set('assumptions', assumptions);
  c.set('services', { ...services, db: { ...db, assumptions, sql: confirming(db.sql, assumptions) } });
  await replayable(c, next, { holder: 'operator', actor: { type: 'admin' } });
};

/** Who sends a request. */
interface Caller {
  /** Whose its Idempotency-Keys are: a caller must not occupy those of others. Those of all global API keys are the same. */
  readonly holder: string;
  readonly actor: Actor;
}

async function replayable(c: Context<AppEnv>, next: Next, { holder, actor }: Caller): Promise<void> {
  const key = c.req.header('idempotency-key');
  // A malformed key is refused by the schema of the route, with every other fault.
  if (key === undefined || !KEY.test(key) || c.req.method !== 'POST') return next();
  const body = await c.req.text();
  const keyed = new KeyedRequest(c.get('services'), c.get('asked'), {
    holder,
    key,
    requestHash: requestHashOf(actor, `${c.req.method} ${c.req.path}\n${body}`),
  });
  c.set('keyed', keyed);
  keyed.assumeNew(c.get('assumptions'));
  await next();
  // A server error, or a refusal by a limit, is not stored: a retry runs the request again, with the same ids. Neither is a response that is too
  // long: the retry then finds what was created.
  const isFinal = c.res.status < 500 && c.res.status !== 429 && !c.res.headers.has(REPLAYED);
  if (!isFinal) return;
  const replay = c.get('replay') ?? (await storable(c.res.clone(), body.length));
  const ended = keyed.end(replay, c.get('hasSecretReply') === true);
  waitUntil(ended.catch((error: unknown) => c.get('log').error('idempotency.reply_not_stored', { error })));
}

/** A request was answered before: it gets the same response. */
export class Replayed extends Error {
  override readonly name = 'Replayed';
  readonly row: IdempotencyKey;

  constructor(row: IdempotencyKey) {
    super('The request was answered before');
    this.row = row;
  }
}

/** A request with an Idempotency-Key. */
export class KeyedRequest {
  readonly #db: TenantDb;
  readonly #encryption: Encryption;
  readonly #asked: AskedChange | undefined;
  /** Older keys have expired. */
  readonly #since: Date;
  #request: NewKey;
  #isHeld = false;

  constructor(
    { db, clock, encryption, settings }: Pick<Services, 'db' | 'clock' | 'encryption' | 'settings'>,
    asked: AskedChange | undefined,
    { holder, key, requestHash }: { readonly holder: string; readonly key: string; readonly requestHash: string },
  ) {
    const createdAt = new Date(clock.now());
    this.#db = tenantOf(db, holder);
    this.#encryption = encryption;
    this.#asked = asked;
    this.#since = new Date(createdAt.getTime() - settings.IDEMPOTENCY_HOURS * HOUR_MS);
    this.#request = { key, requestHash, idSeed: crypto.randomUUID(), createdAt };
    if (asked !== undefined) asked.claim = claimStatement(this.#db, this.#request, this.#since);
  }

  /** Whether an earlier attempt has made a change. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The ids of what the request creates: the same at each attempt. */
  ids(): () => string {
    return idsOf(this.#request.idSeed, this.#request.createdAt.getTime());
  }

  /** Has the next query confirm that no other attempt has the key. It throws {@link Replayed} if one has been answered. */
  assumeNew(assumptions: Assumptions): void {
    assumptions.add({
      query: keyQuery(this.#db, this.#request.key, this.#since),
      confirm: ([row]) => {
        if (row !== undefined && row.idSeed !== this.#request.idSeed) this.#found(row);
      },
    });
  }

  #found(row: IdempotencyKey): never {
    if (row.requestHash !== this.#request.requestHash) {
      throw new DomainError('idempotency_key_reused', 'The Idempotency-Key was used with a different request');
    }
    if (row.statusCode !== null) throw new Replayed(row);
    this.#request = row;
    this.#isHeld = true;
    if (this.#asked !== undefined) this.#asked.claim = undefined;
    throw new Outdated();
  }

  /**
   * Stores the reply, or forgets the key if the request was refused and neither it nor an earlier attempt has changed anything.
   * @param replay Undefined: not stored.
   */
  async end(replay: Replay | undefined, isSecret: boolean): Promise<void> {
    const isClaimed = this.#asked !== undefined && this.#asked.claim === undefined && !this.#isHeld;
    const isRefused = replay !== undefined && replay.statusCode >= 400;
    if (isRefused && !this.#isHeld && this.#asked?.isRecorded !== true) {
      if (isClaimed) await forgetKey(this.#db, this.#request);
    } else if (replay !== undefined) {
      const context = replyContext({ corporateAccountId: this.#db.accountId, key: this.#request.key });
      const body = isSecret ? await this.#encryption.encrypt(replay.body, context) : replay.body;
      await storeReply(this.#db, this.#request, { ...replay, body, isEncrypted: isSecret }, this.#since);
    }
  }

  /** The response to a request that was answered before. */
  async responseOf({ row }: Replayed): Promise<Response> {
    const { statusCode, body, isEncrypted } = row;
    const stored = isEncrypted && body !== null ? await this.#encryption.decrypt(body, replyContext(row)) : body;
    return new Response(stored, {
      status: statusCode ?? 200,
      headers: { 'content-type': 'application/json', [REPLAYED]: 'true' },
    });
  }
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
