import { and, arrayContains, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { KeyKind } from '../accounts/account-key.ts';
import type { SystemDb, TenantDb } from '../platform/database/client.ts';
import { accountKeys, auditLog, corporateAccounts } from '../platform/database/schema.ts';
import type { AuditActor } from '../platform/database/schema.ts';
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
): Promise<AuditEntry[]> {
  const { actor, keyId, resourceId, route, statusCode, corporateId, keyKind } = filter;
  const rows = await db.sql
    .select({ entry: auditLog, corporateId: corporateAccounts.corporateId })
    .from(auditLog)
    .leftJoin(corporateAccounts, eq(corporateAccounts.id, auditLog.corporateAccountId))
    .leftJoin(accountKeys, eq(accountKeys.id, auditLog.keyId))
    .where(
      and(
        db.scope === 'tenant' ? eq(auditLog.corporateAccountId, db.accountId) : undefined,
        actor === undefined ? undefined : eq(auditLog.actor, actor),
        keyId === undefined ? undefined : eq(auditLog.keyId, keyId),
        resourceId === undefined ? undefined : arrayContains(auditLog.resourceIds, [resourceId]),
        route === undefined ? undefined : eq(auditLog.route, route),
        statusCode === undefined ? undefined : eq(auditLog.statusCode, statusCode),
        corporateId === undefined ? undefined : eq(auditLog.corporateAccountId, accountNamed(db, corporateId)),
        keyKind === undefined ? undefined : sql`coalesce(${accountKeys.kind}, ${keyKind}) = ${keyKind}`,
        gte(auditLog.id, page.from),
        lt(auditLog.id, page.before),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(page.take);
  return rows.map(({ entry, corporateId: name }) => ({ ...entry, corporateId: name }));
}

/** A subquery, so that the index of the account's rows is used. */
function accountNamed(db: TenantDb | SystemDb, corporateId: string) {
  const { id } = corporateAccounts;
  return db.sql.select({ id }).from(corporateAccounts).where(eq(corporateAccounts.corporateId, corporateId));
}
