import { and, eq, gt, lte, sql, type SQL } from 'drizzle-orm';
import type { Rows, Statement, SystemDb, TenantDb } from './client.ts';
import { abortTransaction } from './errors.ts';
import { idempotencyKeys } from './schema.ts';
import { tagged } from './tagged.ts';

export type IdempotencyKey = typeof idempotencyKeys.$inferSelect;

/** A key, and what is stored with it before its reply. */
export type NewKey = Pick<IdempotencyKey, 'key' | 'requestHash' | 'idSeed' | 'createdAt'>;

/** A reply to a request with a key. */
type StoredReply = Pick<IdempotencyKey, 'statusCode' | 'body' | 'isEncrypted'>;

/** The statement that reads a key. @param since Older ones have expired. */
export function keyQuery(db: TenantDb, key: string, since: Date): Rows<IdempotencyKey> {
  return tagged(
    'find-idempotency-key',
    db.sql
      .select()
      .from(idempotencyKeys)
      .where(and(ofHolder(db, key), gt(idempotencyKeys.createdAt, since))),
  );
}

/**
 * The statement with which a change begins, so that key and change are stored together or not at all. It waits for a
 * change with the same key that is under way, and aborts with `idempotency_key_taken` if that one, or an earlier one,
 * has the key.
 * @param since Keys from before then have expired.
 */
export function claimStatement(db: TenantDb, request: NewKey, since: Date): Statement {
  const { key, ...held } = { ...request, statusCode: null, body: null, isEncrypted: false };
  const claimed = db.sql
    .insert(idempotencyKeys)
    .values({ ...held, key, corporateAccountId: db.accountId })
    .onConflictDoUpdate({
      target: [idempotencyKeys.corporateAccountId, idempotencyKeys.key],
      set: held,
      setWhere: lte(idempotencyKeys.createdAt, since),
    })
    .returning({ key: idempotencyKeys.key });
  return db.sql.execute(
    tagged(
      'claim-key',
      sql`with claimed as (${claimed.getSQL()}) select ${abortTransaction('idempotency_key_taken')} where not exists (select from claimed)`,
    ),
  );
}

/** Stores the reply to a request that holds its key, unless it has one. */
export async function storeReply(db: TenantDb, request: NewKey, reply: StoredReply): Promise<void> {
  // The first reply stays, but for a refusal that an attempt with the same seed got while another one was making the
  // change.
  const isBetter = sql`(${idempotencyKeys.statusCode} is null or ${idempotencyKeys.statusCode} >= 400 and ${reply.statusCode}::integer < 400)`;
  await tagged(
    'store-reply',
    db.sql
      .update(idempotencyKeys)
      .set(reply)
      .where(and(isHeldBy(db, request), isBetter)),
  );
}

/**
 * Deletes the key of a request, as a part of a statement; for a change that turns out to change nothing.
 * @param condition When.
 */
export function releaseOf(db: TenantDb, request: NewKey, condition: SQL): SQL {
  return sql`delete from ${idempotencyKeys} where ${and(isHeldBy(db, request), condition)}`;
}

function isHeldBy(db: TenantDb, { key, idSeed }: NewKey) {
  return and(ofHolder(db, key), eq(idempotencyKeys.idSeed, idSeed));
}

function ofHolder(db: TenantDb, key: string) {
  return and(eq(idempotencyKeys.corporateAccountId, db.accountId), eq(idempotencyKeys.key, key));
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

/**
 * Deletes keys that were first used before `before`, the oldest first.
 * @param limit The most keys.
 * @returns how many.
 */
export async function removeExpiredKeys(db: SystemDb, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(sql`
    delete from ${idempotencyKeys} where ctid = any(array(
      select ctid from ${idempotencyKeys}
      where created_at < ${before.toISOString()}::timestamptz order by created_at limit ${limit}))`);
  return rowCount ?? 0;
}
