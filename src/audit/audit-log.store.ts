import { and, arrayContains, desc, eq, getTableColumns, gte, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { KeyKind } from '../accounts/account-key.ts';
import type { SystemDb, TenantDb } from '../platform/database/client.ts';
import { accountKeys, auditLog, corporateAccounts, type AuditActor } from '../platform/database/schema.ts';
import { searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import type { PageRange } from '../core/paging.ts';

/** The filters of a list of the audit log. */
export interface AuditFilter {
  readonly actor?: AuditActor | undefined;
  readonly keyId?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly route?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly corporateId?: string | undefined;
  /** Leaves out what was asked for with a key of the other kind. */
  readonly keyKind?: KeyKind | undefined;
}

/** A row of the audit log, with the account's corporateId. */
export type AuditEntry = typeof auditLog.$inferSelect & { readonly corporateId: string | null };

/** A page of the audit log, newest first: of one account, or with a system database of all. */
export async function listAuditLog(
  db: TenantDb | SystemDb,
  filter: AuditFilter,
  page: PageRange,
): Promise<SearchedRows<AuditEntry>> {
  const { keyId, resourceId, corporateId, keyKind } = filter;
  const { indexed, others } = byIndex(db, filter);
  const records = and(
    db.scope === 'tenant' ? eq(auditLog.corporateAccountId, db.accountId) : undefined,
    keyId === undefined ? undefined : eq(auditLog.keyId, keyId),
    resourceId === undefined ? undefined : isAbout(db, resourceId),
    corporateId === undefined ? undefined : eq(auditLog.corporateAccountId, accountNamed(db, corporateId)),
    indexed,
    gte(auditLog.id, page.from),
    lt(auditLog.id, page.before),
  );
  const unindexed = and(
    ...others,
    keyKind === undefined ? undefined : or(isNull(auditLog.keyId), inArray(auditLog.keyId, keysOf(db, keyKind))),
  );
  return await searchPage(db, auditLog, { records, filter: unindexed }, page, (newest) =>
    db.sql
      .select({ ...getTableColumns(auditLog), corporateId: corporateAccounts.corporateId })
      .from(newest)
      .leftJoin(corporateAccounts, eq(corporateAccounts.id, auditLog.corporateAccountId))
      .where(unindexed)
      .orderBy(desc(auditLog.id))
      .limit(page.take),
  );
}

/**
 * Of the filters by status, route and actor the first one that has an index, unless the list is by key or record, and
 * the others.
 */
function byIndex(db: TenantDb | SystemDb, { keyId, resourceId, statusCode, route, actor, corporateId }: AuditFilter) {
  const status = statusCode === undefined ? [] : [eq(auditLog.statusCode, statusCode)];
  const more = [
    ...(route === undefined ? [] : [eq(auditLog.route, route)]),
    ...(actor === undefined ? [] : [eq(auditLog.actor, actor)]),
  ];
  const ofAccount = db.scope === 'tenant' || corporateId !== undefined;
  const candidates = ofAccount ? [...status, ...more] : status;
  const indexed = keyId === undefined && resourceId === undefined ? candidates[0] : undefined;
  return { indexed, others: [...status, ...more].filter((condition) => condition !== indexed) };
}

/**
 * An array of ids, so that the index on resources is used: with the order of the list, the planner would search the log
 * from its end.
 */
function isAbout(db: TenantDb | SystemDb, resourceId: string) {
  const about = db.sql
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(arrayContains(auditLog.resourceIds, [resourceId]));
  return sql`${auditLog.id} = any(array(${about}))`;
}

/** The account's keys of a kind, or those of all accounts. */
function keysOf(db: TenantDb | SystemDb, kind: KeyKind) {
  const { id, corporateAccountId } = accountKeys;
  return db.sql
    .select({ id })
    .from(accountKeys)
    .where(and(eq(accountKeys.kind, kind), db.scope === 'tenant' ? eq(corporateAccountId, db.accountId) : undefined));
}

/** A subquery, so that the index of the account's rows is used. */
function accountNamed(db: TenantDb | SystemDb, corporateId: string) {
  const { id } = corporateAccounts;
  return db.sql.select({ id }).from(corporateAccounts).where(eq(corporateAccounts.corporateId, corporateId));
}
