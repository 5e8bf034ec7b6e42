import { and, desc, eq, getTableColumns, gte, inArray, isNull, lt, lte, or, sql, type SQL } from 'drizzle-orm';
import type { Statement, SystemDb, TenantDb } from '../platform/database/client.ts';
import { accountKeys, corporateAccounts } from '../platform/database/schema.ts';
import { runChange } from '../platform/database/record-change.ts';
import { oneColumn } from '../platform/database/json-rows.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';
import type { PageRange } from '../core/paging.ts';
import type { Account } from '../accounts/account.ts';
import type { AccountKey, KeyKind } from '../accounts/account-key.ts';
import { accountColumns, lockAccount } from '../accounts/accounts.store.ts';

const { hash: _, corporateAccountId: __, ...keyColumns } = getTableColumns(accountKeys);

/** A stored key, without its hash. */
export type StoredKey = Omit<typeof accountKeys.$inferSelect, 'hash' | 'corporateAccountId'>;

export interface KeyOwner {
  readonly key: AccountKey;
  readonly account: Account;
  /** Whether the account is ACTIVE. */
  readonly isActive: boolean;
}

/** Keys that are not revoked, expired or not, by their hashes, with their accounts. */
export async function readKeys(db: SystemDb, hashes: readonly string[]): Promise<Map<string, KeyOwner>> {
  const { id, kind, scopes, allowedAddresses, expiresAt } = accountKeys;
  const rows = await tagged(
    'find-keys',
    db.sql
      .select({
        hash: accountKeys.hash,
        key: oneColumn({ id, kind, scopes, allowedAddresses, expiresAt }),
        account: oneColumn(accountColumns),
        status: corporateAccounts.status,
      })
      .from(accountKeys)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, accountKeys.corporateAccountId))
      .where(and(inArray(accountKeys.hash, [...hashes]), isNull(accountKeys.revokedAt))),
  );
  return new Map(rows.map(({ hash, key, account, status }) => [hash, { key, account, isActive: status === 'ACTIVE' }]));
}

/** Records a use, unless one was recorded within the last `periodMs`. */
export async function noteKeyUse(db: SystemDb, id: string, now: Date, periodMs: number): Promise<void> {
  const before = new Date(now.getTime() - periodMs);
  await tagged(
    'note-key-use',
    db.sql
      .update(accountKeys)
      .set({ lastUsedAt: now })
      .where(
        and(
          eq(accountKeys.id, id),
          isNull(accountKeys.revokedAt),
          or(isNull(accountKeys.lastUsedAt), lte(accountKeys.lastUsedAt, before)),
        ),
      ),
  );
}

const newKeyColumns = {
  id: 'text',
  parentId: 'text',
  kind: 'text',
  name: 'text',
  hash: 'text',
  scopes: 'text[]',
  allowedAddresses: 'text[]',
  expiresAt: 'timestamptz',
  createdAt: 'timestamptz',
} as const;

type NewKey = Pick<typeof accountKeys.$inferSelect, keyof typeof newKeyColumns>;

/**
 * Inserts a key, unless one with its id exists.
 * @returns the stored key, and whether it is this one.
 */
export async function insertKey(
  db: TenantDb,
  key: NewKey,
): Promise<{ readonly key: StoredKey; readonly isNew: boolean }> {
  const statements = {
    // A key could create another while it is being revoked with its descendants, and the new one would remain.
    lock: lockAccount(db),
    insert: db.sql.execute(sql`
      insert into account_keys
        (corporate_account_id, id, parent_id, kind, name, hash, scopes, allowed_addresses, expires_at, created_at)
      select ${db.accountId}, v.*
      from ${valuesTable('v', newKeyColumns, [key])}
      on conflict (id) do nothing`),
    found: db.sql
      .select({ key: keyColumns, isNew: sql<boolean>`${accountKeys.hash} = ${key.hash}` })
      .from(accountKeys)
      .where(and(eq(accountKeys.id, key.id), eq(accountKeys.corporateAccountId, db.accountId))),
  };
  const {
    found: [row],
  } = await runChange(db, statements, sql`select id from account_keys where id = ${key.id} and hash = ${key.hash}`);
  if (row === undefined) throw new Error('The insert of a key returned no row');
  return row;
}

/** A page of the account's keys that are not revoked, newest first. @param kind Undefined: of both kinds. */
export function listKeys(db: TenantDb, kind: KeyKind | undefined, page: PageRange): Promise<StoredKey[]> {
  return db.sql
    .select(keyColumns)
    .from(accountKeys)
    .where(
      and(
        eq(accountKeys.corporateAccountId, db.accountId),
        isNull(accountKeys.revokedAt),
        kind === undefined ? undefined : eq(accountKeys.kind, kind),
        gte(accountKeys.id, page.from),
        lt(accountKeys.id, page.before),
      ),
    )
    .orderBy(desc(accountKeys.id))
    .limit(page.take);
}

/** A key of the account, revoked or not. */
export async function findKey(db: TenantDb, id: string): Promise<StoredKey | undefined> {
  const [row] = await db.sql
    .select(keyColumns)
    .from(accountKeys)
    .where(and(eq(accountKeys.id, id), eq(accountKeys.corporateAccountId, db.accountId)));
  return row;
}

/** A key, alone or with others. */
export interface Family {
  readonly id: string;
  /** Also the keys that it created, and those that they created. */
  readonly withDescendants: boolean;
}

/** A recursive table of a statement: `family`, with the ids of keys of the account. */
export function familyOf(db: TenantDb, { id, withDescendants }: Family): SQL {
  // A key and its descendants are of one account: with that, the planner expects few.
  const ofAccount = sql`child.corporate_account_id = ${db.accountId}`;
  const descendants = sql`
    union all select child.id from account_keys as child join family on child.parent_id = family.id and ${ofAccount}`;
  return sql`family as (
      select id from account_keys as child where id = ${id} and ${ofAccount}
      ${withDescendants ? descendants : sql``}
    )`;
}

/**
 * Revokes keys of the account.
 * @param also What else ends with them: a statement, and a query of the ids that it has changed.
 */
export async function revokeKeys(
  db: TenantDb,
  keys: Family,
  now: Date,
  also?: { readonly statement: Statement; readonly ended: SQL },
): Promise<void> {
  const ofAccount = sql`child.corporate_account_id = ${db.accountId}`;
  const family = sql`with recursive ${familyOf(db, keys)}`;
  const at = sql`${now.toISOString()}::timestamptz`;
  await runChange(
    db,
    {
      lock: lockAccount(db),
      revoke: db.sql.execute(
        sql`${family} update account_keys as child set revoked_at = ${at} where ${ofAccount} and id in (select id from family) and revoked_at is null`,
      ),
      also: also?.statement,
    },
    sql`select id from (
      ${family} select id from account_keys as child where ${ofAccount} and id in (select id from family) and revoked_at = ${at}) as revoked
      ${also === undefined ? sql`` : sql`union all select id from (${also.ended}) as ended`}`,
  );
}
