import { lockAccount } from '../accounts/accounts.store.ts';
import { and, asc, eq, ne, sql, isNull, lte, or } from 'drizzle-orm';
import type { TenantDb, SystemDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { webhookEndpoints } from '../platform/database/schema.ts';

export type Endpoint = typeof webhookEndpoints.$inferSelect;
type NewEndpoint = Pick<Endpoint, 'id' | 'url' | 'description' | 'eventTypes' | 'chainKind' | 'secretId' | 'secret'>;

/** The account's endpoints, without deleted ones. */
function own(db: TenantDb) {
  return and(eq(webhookEndpoints.corporateAccountId, db.accountId), ne(webhookEndpoints.status, 'DELETED'));
}

/** An endpoint that the account has created, not the operator's. */
function changeable(db: TenantDb, id: string) {
  return and(own(db), eq(webhookEndpoints.id, id), eq(webhookEndpoints.managedBy, 'account'));
}

/**
 * Stores an endpoint if the account has created fewer than `limit`.
 * @returns undefined if the account has `limit` endpoints.
 */
export async function insertEndpoint(
  db: TenantDb,
  { id, url, description, eventTypes, chainKind, secretId, secret }: NewEndpoint,
  limit: number,
  now: Date,
): Promise<Endpoint | undefined> {
  const at = now.toISOString();
  // The query builder expands an array into a list of parameters.
  const types = eventTypes === null ? null : JSON.stringify(eventTypes);
  const stored = and(own(db), eq(webhookEndpoints.id, id));
  const statements = {
    lock: lockAccount(db),
    insert: db.sql.execute(sql`
      insert into ${webhookEndpoints} (id, corporate_account_id, managed_by, url, description, event_types, chain_kind, secret_id, secret,
        created_at, updated_at)
      select ${id}, ${db.accountId}, 'account', ${url}, ${description},
        (select array_agg(value) from jsonb_array_elements_text(${types}::jsonb)), ${chainKind}, ${secretId}, ${secret},
        ${at}::timestamptz, ${at}::timestamptz
      where ${limit}::int > (
        select count(*) from ${webhookEndpoints}
        where corporate_account_id = ${db.accountId} and managed_by = 'account' and status <> 'DELETED')`),
    found: db.sql.select().from(webhookEndpoints).where(stored),
  };
  const { found } = await runChange(db, statements, sql`select id from ${webhookEndpoints} where ${stored}`);
  return found[0];
}

export async function findEndpoints(db: TenantDb): Promise<Endpoint[]> {
  return await db.sql.select().from(webhookEndpoints).where(own(db)).orderBy(asc(webhookEndpoints.id));
}

export async function findEndpoint(db: TenantDb, id: string): Promise<Endpoint | undefined> {
  const [row] = await db.sql
    .select()
    .from(webhookEndpoints)
    .where(and(own(db), eq(webhookEndpoints.id, id)));
  return row;
}

/** An endpoint of the account, deleted or not. */
export async function findStoredEndpoint(db: TenantDb, id: string): Promise<Endpoint | undefined> {
  const [row] = await db.sql
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.corporateAccountId, db.accountId), eq(webhookEndpoints.id, id)));
  return row;
}

/** What an account may change of an endpoint; undefined leaves a field unchanged. */
export type EndpointChange = {
  readonly [Field in 'url' | 'description' | 'eventTypes' | 'status']?: Endpoint[Field] | undefined;
};

/** Changes the given fields. @returns undefined if the account has no such endpoint that it may change. */
export async function updateEndpoint(
  db: TenantDb,
  id: string,
  changes: EndpointChange,
  now: Date,
): Promise<Endpoint | undefined> {
  const update = db.sql
    .update(webhookEndpoints)
    .set({ ...changes, updatedAt: now })
    .where(changeable(db, id))
    .returning();
  const { corporateAccountId, managedBy, updatedAt } = webhookEndpoints;
  // A deleted endpoint is no longer one of the account's.
  const changed = and(
    eq(webhookEndpoints.id, id),
    eq(corporateAccountId, db.accountId),
    eq(managedBy, 'account'),
    eq(updatedAt, now),
  );
  const { updated } = await runChange(
    db,
    { updated: update },
    sql`select id from ${webhookEndpoints} where ${changed}`,
  );
  return updated[0];
}

/**
 * Gives an endpoint a new secret; the former one signs until `formerExpiresAt`, an earlier one no longer. A repetition
 * with the same `secretId` changes nothing.
 * @returns the endpoint after that; undefined if the account has no such endpoint that it may change.
 */
export async function replaceSecret(
  db: TenantDb,
  id: string,
  next: Pick<Endpoint, 'secretId' | 'secret'>,
  formerExpiresAt: Date,
  now: Date,
): Promise<Endpoint | undefined> {
  const statements = {
    replace: db.sql
      .update(webhookEndpoints)
      .set({
        ...next,
        secretPrevious: sql`${webhookEndpoints.secret}`,
        secretPreviousExpiresAt: formerExpiresAt,
        updatedAt: now,
      })
      .where(and(changeable(db, id), ne(webhookEndpoints.secretId, next.secretId))),
    found: db.sql.select().from(webhookEndpoints).where(changeable(db, id)),
  };
  const changed = and(changeable(db, id), eq(webhookEndpoints.secretId, next.secretId));
  const { found } = await runChange(db, statements, sql`select id from ${webhookEndpoints} where ${changed}`);
  return found[0];
}

export interface StoredSecrets {
  readonly id: string;
  readonly secret: string;
  readonly secretPrevious: string | null;
}

/** Secrets that another key than this one has encrypted, each with the number of all of them. */
export async function secretsOfOtherKeys(
  db: SystemDb,
  keyId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const { id, secret, secretPrevious } = webhookEndpoints;
  return await db.sql
    .select({ row: { id, secret, secretPrevious }, total: sql`count(*) over ()`.mapWith(Number) })
    .from(webhookEndpoints)
    .where(or(sql`not starts_with(${secret}, ${`${keyId}.`})`, sql`not starts_with(${secretPrevious}, ${`${keyId}.`})`))
    .orderBy(id)
    .limit(limit)
    .offset(offset);
}

/** Stores the same secrets in another form, unless they have been rotated since they were read. */
export async function replaceSecrets(db: SystemDb, before: StoredSecrets, after: StoredSecrets): Promise<void> {
  const { secret, secretPrevious } = webhookEndpoints;
  await db.sql
    .update(webhookEndpoints)
    .set({ secret: after.secret, secretPrevious: after.secretPrevious })
    .where(
      and(
        eq(webhookEndpoints.id, before.id),
        eq(secret, before.secret),
        before.secretPrevious === null ? isNull(secretPrevious) : eq(secretPrevious, before.secretPrevious),
      ),
    );
}

/** Deletes former secrets that sign no longer. */
export async function removeExpiredSecrets(db: SystemDb, now: Date): Promise<void> {
  await db.sql
    .update(webhookEndpoints)
    .set({ secretPrevious: null, secretPreviousExpiresAt: null })
    .where(lte(webhookEndpoints.secretPreviousExpiresAt, now));
}
