import { sql, type SQL } from 'drizzle-orm';
import { newId } from '../../core/record-id.ts';
import {
  runBatch,
  type AskedChange,
  type KeyClaim,
  type ResultsOf,
  type Statements,
  type SystemDb,
  type TenantDb,
} from './client.ts';
import { abortTransaction } from './errors.ts';
import { accountKeys, auditCounts, auditLog, corporateAccounts } from './schema.ts';
import { tagged } from './tagged.ts';

/**
 * Runs the statements of a change as one transaction. The first statement
 * claims the request's Idempotency-Key, if it has one that no earlier change of the request has claimed; the last one
 * adds the row of the request to the audit log, with the status of success, if the change was made. Otherwise
 * `recordReply` adds it. The last one also looks whether the caller may still ask for it: what was read before may be as old
 * as a call to a node, or the wait for a lock.
 * @param changed A query of the ids, as `id`, of the records that the statements have created or changed; none: no
 *   change was made.
 * @returns the results of the statements.
 * @throws `key_revoked` or `account_inactive` if the caller's key or account has become so, `idempotency_key_taken` if
 *   another request has the key; nothing is changed then.
 */
export async function runChange<Change extends Statements>(
  db: TenantDb | SystemDb,
  change: Change,
  changed: SQL,
): Promise<ResultsOf<Change>> {
  const { asked } = db;
  if (asked === undefined) return await runBatch(db, change);
  const { claim } = asked;
  const ids = sql`(
    select array_agg(changed.id order by changed.id) as ids from (${changed}) as changed having ${isAllowed(asked)}
  ) as changed`;
  const row = insertRow(asked, asked.successStatus, sql`changed.ids`, ids);
  const results = await runBatch(db, {
    claim: claim?.statement,
    change,
    auditRow: db.sql.execute(tagged('record-change', claim === undefined ? row : recordOrRelease(row, claim))),
  });
  if (results.auditRow.rowCount === 1) {
    asked.isRecorded = true;
    asked.claim = undefined;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same type, which TypeScript resolves for no type parameter
  return results.change as ResultsOf<Change>;
}

/** A condition that is true, or aborts the transaction. An admin's change may be about an inactive account. */
function isAllowed(asked: AskedChange): SQL {
  const { actor, corporateAccountId, keyId } = asked.row();
  if (actor === 'admin') return sql`true`;
  // A key may revoke itself, by this very change.
  const isValid = sql`(k.revoked_at is null or k.xmin = pg_current_xact_id()::xid)`;
  return sql`case
    when not exists (select from ${corporateAccounts} a where a.id = ${corporateAccountId} and a.status = 'ACTIVE')
      then ${abortTransaction('account_inactive')}
    when ${keyId}::text is not null and not exists (select from ${accountKeys} k where k.id = ${keyId} and ${isValid})
      then ${abortTransaction('key_revoked')}
    else true end`;
}

/**
 * A change that has changed nothing holds no key: in the same transaction, so that no other attempt ever sees it held.
 */
function recordOrRelease(row: SQL, { release }: KeyClaim): SQL {
  return sql`
    with recorded as (${row} returning id),
    released as (${release(sql`not exists (select from recorded)`)})
    select id from recorded`;
}

/**
 * Adds the row of a request that changed nothing, or whose change is not known to be recorded. If the change has a row,
 * its transaction has committed although the database's reply was lost, and that row remains the only one. If the
 * change commits later still, it adds a row of its own.
 * @param statusCode Of the reply.
 */
export async function recordReply(db: SystemDb, asked: AskedChange, statusCode: number): Promise<void> {
  const { id, resourceId, createdAt } = asked.row();
  const ids = sql`array_remove(array[${resourceId}::text], null)`;
  const unrecorded = sql`(select where not exists (select from ${auditLog} where id = ${id})) as unrecorded`;
  const insert = insertRow(asked, statusCode, ids, unrecorded, { id: newId(createdAt.getTime()) });
  await db.sql.execute(tagged('record-reply', insert));
  asked.isRecorded = true;
}

/** How many requests of a caller to a route with one status that change nothing get a row of their own in a period. */
const OWN_ROWS = 20;
/** How many addresses and records are told apart in a period: the first request with each gets a row too. */
const MAX_SEEN = 100;
const PERIOD = sql.raw(`interval '1 hour'`);

/**
 * Records a request to an account that has certainly changed nothing. Beyond {@link OWN_ROWS} in a period, only
 * requests get a row whose number is a power of two, or that are the first from an address or for a record, up to
 * {@link MAX_SEEN}; it stands for all since the period began. A key cannot fill the log faster, and cannot hide behind
 * many requests one with another status, from elsewhere or for another record.
 */
export async function recordUnchanged(db: SystemDb, asked: AskedChange, statusCode: number): Promise<void> {
  const { resourceId, corporateAccountId, keyId, actor, address, method, route, createdAt } = asked.row();
  const at = sql`${createdAt.toISOString()}::timestamptz`;
  const isOver = sql`r.since <= excluded.since - ${PERIOD}`;
  const ids = sql`array_remove(array[${resourceId}::text], null)`;
  const subjects = sql`array_remove(array[${resourceId}::text, ${address}::text], null)`;
  const isNew = sql`cardinality(r.seen) < ${MAX_SEEN} and not excluded.seen <@ r.seen`;
  const counted = sql`counted where number <= ${OWN_ROWS} or number = last_new or number & (number - 1) = 0`;
  const insert = insertRow(asked, statusCode, ids, sql`(select number, since from ${counted}) as numbered`, {
    count: sql`case when number > ${OWN_ROWS} then number else 1 end`,
    firstAt: sql`case when number > ${OWN_ROWS} then since end`,
  });
  await db.sql.execute(
    tagged(
      'record-unchanged',
      sql`
    with counted as (
      insert into ${auditCounts} as r (corporate_account_id, caller, route, since, count, seen, last_new)
        values (${corporateAccountId}, ${keyId ?? actor}, ${`${method} ${route} ${statusCode}`}, ${at}, 1, ${subjects}, 1)
      on conflict (corporate_account_id, caller, route) do update set
        since = case when ${isOver} then excluded.since else r.since end,
        count = case when ${isOver} then 1 else r.count + 1 end,
        seen = case when ${isOver} then excluded.seen when ${isNew} then r.seen || excluded.seen else r.seen end,
        last_new = case when ${isOver} then 1 when ${isNew} then r.count + 1 else r.last_new end
      returning count as number, since, last_new
    ) ${insert}`,
    ),
  );
  asked.isRecorded = true;
}

function insertRow(
  asked: AskedChange,
  statusCode: number,
  ids: SQL,
  from: SQL,
  { id = asked.row().id, count = sql`1`, firstAt = sql`null::timestamptz` } = {},
): SQL {
  const row = asked.row();
  const { actor, keyId, address, requestId, method, route, bodyHash, createdAt } = row;
  const named = sql`(select id from corporate_accounts where corporate_id = ${row.corporateId})`;
  return sql`
    insert into ${auditLog}
      (id, corporate_account_id, actor, key_id, address, request_id, method, route, resource_ids, body_hash, status_code, count, first_at, created_at)
    select ${id}, coalesce(${row.corporateAccountId}, ${named}), ${actor}, ${keyId}, ${address}, ${requestId}, ${method}, ${route},
      ${ids}, ${bodyHash}, ${statusCode}::integer, ${count}, ${firstAt}, ${createdAt.toISOString()}::timestamptz
    from ${from}
    where ${ids} is not null
    on conflict (id) do nothing`;
}
