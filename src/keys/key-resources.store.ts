import { sql, type SQL } from 'drizzle-orm';
import { familyOf, type Family } from './account-keys.store.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { tagged } from '../platform/database/tagged.ts';

/** What a key makes, or of endpoints changes, that works without it, so that it outlives the key. */
export const KEY_RESOURCES = ['claims', 'endpoints', 'contracts', 'collections'] as const;

export type KeyResource = (typeof KEY_RESOURCES)[number];

/** The routes that make them; the audit log says with which key. */
const ROUTES = sql.raw(`('/claims', '/claims/batch', '/webhooks/endpoints', '/contracts/register')`);

/** Those that change where an endpoint's events go, or show its secret. */
const CHANGES = sql.raw(`('/webhooks/endpoints/{id}', '/webhooks/endpoints/{id}/rotate-secret')`);

const made = (db: TenantDb) => sql`
    made as (
      select id, bool_or(is_made) as is_made from (
        select unnest(l.resource_ids) as id, l.method = 'POST' and l.route in ${ROUTES} as is_made from audit_log l
        where l.key_id in (select id from family) and l.corporate_account_id = ${db.accountId} and l.status_code < 300
          and (l.method = 'POST' and l.route in ${ROUTES} or l.method in ('PATCH', 'POST') and l.route in ${CHANGES})
      ) used group by id
    )`;

const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/**
 * Tables of a statement: `family` has the keys; `made`, what the audit log says was made with them, by id; `lasting`,
 * what of it lasts, by `resource` and id.
 */
function lastingTables(db: TenantDb, family: Family, now: Date): SQL {
  const own = sql`corporate_account_id = ${db.accountId}`;
  return sql`
    with recursive ${familyOf(db, family)}, ${made(db)},
    lasting as (
      select 'claims' as resource, t.order_id as id, is_made from made join orders t on t.order_id = made.id and t.kind = 'mint'
      where t.${own} and ${isOpenClaim(now)}
      union all
      select 'endpoints', e.id, is_made from made join webhook_endpoints e on e.id = made.id
      where e.${own} and e.managed_by = 'account' and (e.status = 'ENABLED' or is_made and e.status <> 'DELETED')
      union all
      select 'contracts', c.id, is_made from made join contracts c on c.id = made.id
      where c.${own} and c.registered_at_block is not null and c.status = 'ACTIVE'
      union all
      select 'collections', v.contract_id, true from collection_versions v
      where v.${own} and v.created_by_key_id in (select id from family)
        and not exists (select from collection_versions later where later.contract_id = v.contract_id and later.version > v.version)
    )`;
}

/** The condition that the transaction `t` is that of a claim whose receiver can still be named. */
function isOpenClaim(now: Date): SQL {
  return sql`t.state = 'waiting' and t.approval_until > ${instantOf(now)} and t.cancel_requested_at is null
    and exists (select from claims c where c.id = t.order_id)`;
}

/** How many of each there are, and the ids of the newest. @param limit How many ids of each. */
export async function findKeyResources(db: TenantDb, family: Family, now: Date, limit: number) {
  const { rows } = await db.sql.execute<{ resource: KeyResource; count: number; ids: string[] }>(
    tagged(
      'find-key-resources',
      sql`${lastingTables(db, family, now)}
      select resource, count(*)::int as count, (array_agg(id order by id desc))[1:${limit}] as ids from lasting group by resource`,
    ),
  );
  return new Map(rows.map(({ resource, count, ids }) => [resource, { count, ids }]));
}

/**
 * The statement that ends them, but for collections, which have no earlier content that anybody has chosen: claims are
 * cancelled, which the cleanup job carries out; endpoints deleted, or disabled if another key made them; contracts
 * unregistered. And a query of their ids.
 */
export function endKeyResources(db: TenantDb, family: Family, now: Date) {
  const at = instantOf(now);
  const end = sql`${lastingTables(db, family, now)},
    claims_ended as (
      update orders t set cancel_requested_at = ${at}, version = t.version + 1, next_try_at = ${at}, updated_at = ${at}
      from lasting where lasting.resource = 'claims' and t.order_id = lasting.id and t.kind = 'mint' and ${isOpenClaim(now)}
    ),
    endpoints_ended as (
      update webhook_endpoints e set status = case when lasting.is_made then 'DELETED' else 'DISABLED' end, updated_at = ${at}
      from lasting where lasting.resource = 'endpoints' and e.id = lasting.id
    ),
    contracts_ended as (
      update contracts c set status = 'FAILED', contract_address = null, updated_at = ${at}, error_message = 'Unregistered: ' || c.contract_address
      from lasting where lasting.resource = 'contracts' and c.id = lasting.id
    )
    select from lasting limit 0`;
  const ended = sql`
    with recursive ${familyOf(db, family)}, ${made(db)}
    select t.order_id as id from made join orders t on t.order_id = made.id and t.kind = 'mint' and t.cancel_requested_at = ${at}
    union select e.id from made join webhook_endpoints e on e.id = made.id and e.status <> 'ENABLED' and e.updated_at = ${at}
    union select c.id from made join contracts c on c.id = made.id and c.status = 'FAILED' and c.updated_at = ${at}`;
  return { statement: db.sql.execute(tagged('end-key-resources', end)), ended };
}
