import { and, eq, isNull, lt, lte } from 'drizzle-orm';
import type { SystemDb, TenantDb } from './client.ts';
import { idempotencyKeys } from './schema.ts';

/** For how long an answer is kept. */
const KEPT_MS = 24 * 3_600_000;

export type IdempotencyKey = typeof idempotencyKeys.$inferSelect;

/** A request that is sent with a key, and the mark of this very try to answer it. */
export interface KeyClaim {
  readonly key: string;
  readonly claimId: string;
  /** Of the method, the path and the body. */
  readonly requestHash: string;
  readonly now: Date;
  /** For how long this try keeps others out. */
  readonly leaseMs: number;
}

/**
 * Claims a key for a try: when it is new, or its answer has been kept long enough, or the try that holds it has left it
 * without an answer for as long as its lease.
 * @returns the key as it stands; this try may answer where `claimId` is its own.
 */
export async function claimKey(db: TenantDb, claim: KeyClaim): Promise<IdempotencyKey> {
  const { key, claimId, requestHash, now, leaseMs } = claim;
  const mine = { claimId, leaseUntil: new Date(now.getTime() + leaseMs) };
  const fresh = { ...mine, requestHash, createdAt: now, statusCode: null, body: null };
  const named = and(eq(idempotencyKeys.corporateAccountId, db.accountId), eq(idempotencyKeys.key, key));
  const [, , [row]] = await db.sql.batch([
    db.sql
      .insert(idempotencyKeys)
      .values({ corporateAccountId: db.accountId, key, ...fresh })
      .onConflictDoUpdate({
        target: [idempotencyKeys.corporateAccountId, idempotencyKeys.key],
        set: fresh,
        setWhere: lte(idempotencyKeys.createdAt, new Date(now.getTime() - KEPT_MS)),
      }),
    db.sql
      .update(idempotencyKeys)
      .set(mine)
      .where(
        and(
          named,
          eq(idempotencyKeys.requestHash, requestHash),
          isNull(idempotencyKeys.statusCode),
          lte(idempotencyKeys.leaseUntil, now),
        ),
      ),
    db.sql.select().from(idempotencyKeys).where(named),
  ]);
  if (row === undefined) throw new Error('An idempotency key was not stored');
  return row;
}

/** Keeps the answer of a try, unless another try has taken the key over. */
export async function keepAnswer(
  db: TenantDb,
  { key, claimId }: Pick<KeyClaim, 'key' | 'claimId'>,
  answer: { readonly statusCode: number; readonly body: string },
): Promise<void> {
  await db.sql
    .update(idempotencyKeys)
    .set(answer)
    .where(
      and(
        eq(idempotencyKeys.corporateAccountId, db.accountId),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.claimId, claimId),
      ),
    );
}

/** Lets the next try begin at once: this one has no answer to keep. */
export async function giveUpKey(db: TenantDb, { key, claimId, now }: Pick<KeyClaim, 'key' | 'claimId' | 'now'>) {
  await db.sql
    .update(idempotencyKeys)
    .set({ leaseUntil: now })
    .where(
      and(
        eq(idempotencyKeys.corporateAccountId, db.accountId),
        eq(idempotencyKeys.key, key),
        eq(idempotencyKeys.claimId, claimId),
      ),
    );
}

/** Removes the keys whose answer has been kept long enough. @returns how many. */
export async function removeExpiredKeys(db: SystemDb, now: Date): Promise<number> {
  const { rowCount } = await db.sql
    .delete(idempotencyKeys)
    .where(lt(idempotencyKeys.createdAt, new Date(now.getTime() - KEPT_MS)));
  return rowCount;
}
