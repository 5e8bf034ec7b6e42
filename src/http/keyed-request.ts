import { DomainError } from '../core/domain-error.ts';
import { derivedIds } from '../core/record-id.ts';
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
/** How long one attempt waits for the reply of another that has made the change, in milliseconds, from try to try. */
const WAITS_MS = [0, 50, 100, 200, 400, 800, 1_600];
/** An attempt that began earlier, and has no reply, has crashed. */
const UNDER_WAY_MS = 10_000;

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
   * Looks for an earlier attempt. One that has made a change and is not answered within seconds is taken over: this
   * attempt has its ids.
   * @returns the response to it, if it was answered.
   * @throws {DomainError} `idempotency_key_reused` if the key has another request.
   */
  async findReply(): Promise<Replay | undefined> {
    const row = await this.#awaitReply();
    if (row === undefined || row.statusCode !== null) return row && (await this.#decryptReply(row));
    this.#request = row;
    this.#isHeld = true;
    if (this.#asked !== undefined) this.#asked.claim = undefined;
    return undefined;
  }

  /**
   * Looks for an attempt that has made the change since, where this one has not: its effect may be why.
   * @returns the response to it; undefined if there is none, or it was not answered within seconds.
   * @throws {DomainError} `idempotency_key_reused` if the key has another request.
   */
  async findReplyOfOther(): Promise<Replay | undefined> {
    if (this.#asked?.isRecorded === true || this.#isHeld) return undefined;
    const row = await this.#awaitReply();
    return row === undefined || row.statusCode === null ? undefined : await this.#decryptReply(row);
  }

  /** The row of the key, with its reply if that comes within seconds; that of a crashed attempt never comes. */
  async #awaitReply(): Promise<IdempotencyKey | undefined> {
    let row: IdempotencyKey | undefined;
    for (const wait of WAITS_MS) {
      await scheduler.wait(wait);
      [row] = await keyQuery(this.#db, this.#request.key, this.#since);
      if (row === undefined) return undefined;
      if (row.requestHash !== this.#request.requestHash) {
        throw new DomainError('idempotency_key_reused', 'The Idempotency-Key was used with a different request');
      }
      const isOld = row.createdAt.getTime() < this.#request.createdAt.getTime() - UNDER_WAY_MS;
      if (row.statusCode !== null || isOld) return row;
    }
    return row;
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

  async #decryptReply({ statusCode, body, isEncrypted, ...row }: IdempotencyKey): Promise<Replay> {
    const stored = isEncrypted && body !== null ? await this.#encryption.decrypt(body, replyContext(row)) : body;
    return { statusCode: statusCode ?? 200, body: stored ?? '' };
  }
}
