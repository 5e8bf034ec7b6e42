import { DomainError } from '../core/domain-error.ts';
import { derivedIds } from '../core/record-id.ts';
import { Outdated, type Assumptions } from '../platform/database/assumptions.ts';
import { tenantOf, type AskedChange, type TenantDb } from '../platform/database/client.ts';
import {
  claimStatement,
  keyQuery,
  releaseOf,
  replyContext,
  storeReply,
  type IdempotencyKey,
  type NewKey,
} from '../platform/database/idempotency-keys.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Services } from '../services.ts';

/** What a retry with the same Idempotency-Key gets. */
export interface Replay {
  readonly statusCode: number;
  readonly body: string;
}

const HOUR_MS = 3_600_000;
/** The header of a reply that was stored. */
export const REPLAYED = 'idempotent-replayed';

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
    if (asked === undefined) return;
    const request = this.#request;
    asked.claim = {
      statement: claimStatement(this.#db, request, this.#since),
      release: (condition) => releaseOf(this.#db, request, condition),
    };
  }

  /** Whether an earlier attempt has made a change. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The ids of what the request creates: the same at each attempt. */
  ids(): () => string {
    return derivedIds(this.#request.idSeed, this.#request.createdAt.getTime());
  }

  /**
   * Has the next query confirm that no other attempt has the key. It throws {@link Replayed} if one has been answered.
   */
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
   * Stores the reply, unless neither the request nor an earlier attempt has changed anything: then it holds no key. A
   * refusal is no reply to a change that an earlier attempt has made.
   * @param replay Undefined: not stored.
   */
  async end(replay: Replay | undefined, isSecret: boolean): Promise<void> {
    if (replay === undefined) return;
    if (this.#asked?.isRecorded !== true && !(this.#isHeld && replay.statusCode < 400)) return;
    const context = replyContext({ corporateAccountId: this.#db.accountId, key: this.#request.key });
    const body = isSecret ? await this.#encryption.encrypt(replay.body, context) : replay.body;
    await storeReply(this.#db, this.#request, { ...replay, body, isEncrypted: isSecret });
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
