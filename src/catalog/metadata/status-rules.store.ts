import { and, eq, sql, type SQL } from 'drizzle-orm';
import { chainIdsOfKind } from '../../accounts/chains-of-actor.ts';
import type { KeyKind } from '../../accounts/account-key.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import { literals } from '../../platform/database/values.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { metadata, statusRules, type StatusTransitions } from '../../platform/database/schema.ts';

export type StatusRules = typeof statusRules.$inferSelect;

/** The account's rules for the chains of a kind. @returns undefined if it has never set any. */
export async function findStatusRules(db: TenantDb, kind: KeyKind): Promise<StatusRules | undefined> {
  const [row] = await db.sql.select().from(statusRules).where(isOf(db, kind));
  return row;
}

/** Replaces the account's rules for the chains of a kind. */
export async function storeStatusRules(
  db: TenantDb,
  { kind, rules, updatedAt }: Pick<StatusRules, 'kind' | 'rules' | 'updatedAt'>,
): Promise<void> {
  const set = { rules, updatedAt };
  const upsert = db.sql
    .insert(statusRules)
    .values({ corporateAccountId: db.accountId, kind, ...set })
    .onConflictDoUpdate({ target: [statusRules.corporateAccountId, statusRules.kind], set });
  await runChange(
    db,
    { upsert },
    sql`select ${statusRules.corporateAccountId} as id from ${statusRules} where ${isOf(db, kind)}`,
  );
}

function isOf(db: TenantDb, kind: KeyKind): SQL | undefined {
  return and(eq(statusRules.corporateAccountId, db.accountId), eq(statusRules.kind, kind));
}

/**
 * A condition on a new row `o` of `metadata`: the rules for its type and chain, if there are any, have its status. A
 * document without a status needs none.
 */
export function hasListedStatus(db: TenantDb): SQL {
  const document = sql`o.standard_fields`;
  const rules = rulesOf(db, sql`o.chain_id`, sql`${document} #>> '{utility,type}'`);
  return sql`case when jsonb_typeof(${document} #> '{utility,data,status}') = 'string'
    then coalesce(${rules} ? (${document} #>> '{utility,data,status}'), true) else true end`;
}

/** A condition on `metadata`: the rules for its type and chain, if there are any, let this status follow its own. */
export function mayBecome(db: TenantDb, status: string | null): SQL {
  if (status === null) return sql`${rulesOfDocument(db)} is null`;
  const follows = sql`case
    when ${metadata.currentStatus} is null then rules.of_type ? ${status}::text
    else rules.of_type -> ${metadata.currentStatus} ? ${status}::text
  end`;
  return sql`(
    select rules.of_type is null or coalesce(${follows}, false) from (select ${rulesOfDocument(db)} as of_type) as rules
  )`;
}

/** The rules for the type and the chain of a row of `metadata`; null if there are none. */
function rulesOfDocument(db: TenantDb): SQL<StatusTransitions | null> {
  return rulesOf(db, sql`${metadata.chainId}`, sql`${metadata.standardFields} #>> '{utility,type}'`);
}

function rulesOf(db: TenantDb, chainId: SQL, type: SQL): SQL<StatusTransitions | null> {
  const kind = sql`case when ${chainId} in ${literals(chainIdsOfKind('test'))} then 'test' else 'live' end`;
  return sql`(
    select stored.rules -> (${type}) from ${statusRules} as stored
    where stored.corporate_account_id = ${db.accountId} and stored.kind = ${kind}
  )`;
}
