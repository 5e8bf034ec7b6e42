import { and, eq, isNull, lte, sql } from 'drizzle-orm';
import type { SystemDb, TenantDb } from './client.ts';
import { idempotencyKeys } from './schema.ts';

export type IdempotencyKey = typeof idempotencyKeys.$inferSelect;

/** A request with a key, and this attempt to answer it. */
export interface KeyClaim {
  readonly key: string;
  readonly claimId: string;
  /** Hash of the method, the path and the body. */
  readonly requestHash: string;
  /** Stored if the key is new or expired; a later attempt gets that of the first. */
  readonly idSeed: string;
  readonly now: Date;
  /** How long this attempt blocks others. */
  readonly leaseMs: number;
  /** How long a response is kept. */
  readonly retentionMs: number;
}

/** A key, and the attempt that has claimed it. */
type Claim = Pick<KeyClaim, 'key' | 'claimId'>;

/**
 * Claims a key for an attempt if the key is new or expired, or if the attempt that holds it has no response and its lease is
 * over.
 * @returns the key's row; the claim succeeded if `claimId` is the attempt's own.
 */
export async function claimKey(db: TenantDb, claim: KeyClaim): Promise<IdempotencyKey> {
  const { key, claimId, requestHash, idSeed, now, leaseMs, retentionMs } = claim;
  const mine = { claimId, leaseUntil: new Date(now.getTime() + leaseMs) };
  const fresh = { ...mine, requestHash, createdAt: now, idSeed, statusCode: null, body: null, isEncrypted: false };
  const isKey = and(eq(idempotencyKeys.corporateAccountId, db.accountId), eq(idempotencyKeys.key, key));
  const [, , [row]] = await db.sql.batch([
    db.sql
      .insert(idempotencyKeys)
      .values({ corporateAccountId: db.accountId, key, ...fresh })
      .onConflictDoUpdate({
        target: [idempotencyKeys.corporateAccountId, idempotencyKeys.key],
        set: fresh,
        setWhere: lte(idempotencyKeys.createdAt, new Date(now.getTime() - retentionMs)),
      }),
    db.sql
      .update(idempotencyKeys)
      .set(mine)
      .where(
        and(
          isKey,
          eq(idempotencyKeys.requestHash, requestHash),
          isNull(idempotencyKeys.statusCode),
          lte(idempotencyKeys.leaseUntil, now),
        ),
      ),
    db.sql.select().from(idempotencyKeys).where(isKey),
  ]);
  if (row === undefined) throw new Error('An idempotency key was not stored');
  return row;
}

/** Stores an attempt's response, unless another attempt has claimed the key since. */
export async function storeResponse(
  db: TenantDb,
  claim: Claim,
  response: { readonly statusCode: number; readonly body: string; readonly isEncrypted: boolean },
): Promise<void> {
  await db.sql.update(idempotencyKeys).set(response).where(isClaim(db, claim));
}

/** Ends the lease of an attempt that has no response to store, so that a retry can start at once. */
export async function releaseKey(db: TenantDb, claim: Claim, now: Date): Promise<void> {
  await db.sql.update(idempotencyKeys).set({ leaseUntil: now }).where(isClaim(db, claim));
}

/** Deletes the key of an attempt that has done nothing, unless another attempt has claimed the key since. */
export async function forgetKey(db: TenantDb, claim: Claim): Promise<void> {
  await db.sql.delete(idempotencyKeys).where(isClaim(db, claim));
}

function isClaim(db: TenantDb, { key, claimId }: Claim) {
  return and(
    eq(idempotencyKeys.corporateAccountId, db.accountId),
    eq(idempotencyKeys.key, key),
    eq(idempotencyKeys.claimId, claimId),
  );
}

/** What an encrypted reply is bound to. */
export function replyContext({ corporateAccountId, key }: Pick<IdempotencyKey, 'corporateAccountId' | 'key'>): string {
  return `idempotency key ${corporateAccountId} ${key}`;
}

/** Replies that another encryption key than this one has encrypted, each with the number of all of them. */
export async function repliesOfOtherKeys(
  db: SystemDb,
  keyId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  return await db.sql
    .select({ row: idempotencyKeys, total: sql`count(*) over ()`.mapWith(Number) })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.isEncrypted, true), sql`not starts_with(${idempotencyKeys.body}, ${`${keyId}.`})`))
    .orderBy(idempotencyKeys.createdAt, idempotencyKeys.key, idempotencyKeys.corporateAccountId)
    .limit(limit)
    .offset(offset);
}

/** Stores the same reply in another form, unless it has changed since it was read. */
export async function replaceReply(
  db: SystemDb,
  { corporateAccountId, key, body }: IdempotencyKey,
  replacement: string,
): Promise<void> {
  await db.sql
    .update(idempotencyKeys)
    .set({ body: replacement })
    .where(
      and(
        eq(idempotencyKeys.corporateAccountId, corporateAccountId),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.body, body ?? ''),
      ),
    );
}

/** Deletes keys that were first used before `before`, the oldest first. @param limit The most keys. @returns how many. */
export async function removeExpiredKeys(db: SystemDb, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(sql`
    delete from ${idempotencyKeys} where ctid = any(array(
      select ctid from ${idempotencyKeys}
      where created_at < ${before.toISOString()}::timestamptz order by created_at limit ${limit}))`);
  return rowCount ?? 0;
}
