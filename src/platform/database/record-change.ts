import { sql, type SQL } from 'drizzle-orm';
import { idAt, newId } from '../../core/record-id.ts';
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
import { accountKeys, auditLog, corporateAccounts } from './schema.ts';
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
  const row = insertRow(asked.row(), asked.successStatus, sql`changed.ids`, ids, true);
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
  const row = asked.row();
  const isUnrecorded = sql`not exists (select from ${auditLog} where id = ${row.id})`;
  const insert = insertUnchanged({ ...row, id: newId(row.createdAt.getTime()) }, statusCode, isUnrecorded);
  await db.sql.execute(tagged('record-reply', insert));
  asked.isRecorded = true;
}

const PERIOD_MS = 3_600_000;
/** How many requests of a caller to a route with one status that change nothing get a row in a period. */
const OWN_ROWS = 20;
/** How many get one if those from an address and for a record that have no row yet are added. */
const MAX_ROWS = 100;

/**
 * Adds the row of a request to an account that has certainly changed nothing, if it is one of the first
 * {@link OWN_ROWS} in a period, or of the first {@link MAX_ROWS} and none of them was from the same address for the same
 * record. Beyond that, nothing is recorded in the period. Requests at the same time do not see each other's rows and may
 * exceed this. A key cannot fill the log, and cannot hide a request behind many with another status.
 */
export async function recordUnchanged(db: SystemDb, asked: AskedChange, statusCode: number): Promise<void> {
  const row = asked.row();
  const { corporateAccountId, keyId, actor, address, method, route, createdAt } = row;
  const isFew = sql`(
    select count(*) < ${OWN_ROWS} or count(*) < ${MAX_ROWS}
      and not bool_or(address is not distinct from ${address}::text and resource_ids = ${idsInPath(row)})
    from ${auditLog}
    where corporate_account_id = ${corporateAccountId} and ${keyId === null ? sql`key_id is null` : sql`key_id = ${keyId}`}
      and route = ${route} and status_code = ${statusCode} and id >= ${idAt(createdAt.getTime() - PERIOD_MS)}
      and actor = ${actor} and method = ${method} and not is_change)`;
  await db.sql.execute(tagged('record-unchanged', insertUnchanged(row, statusCode, isFew)));
  asked.isRecorded = true;
}

type AskedRow = ReturnType<AskedChange['row']>;

const idsInPath = ({ resourceId }: AskedRow) => sql`array_remove(array[${resourceId}::text], null)`;

function insertUnchanged(row: AskedRow, statusCode: number, condition: SQL): SQL {
  return insertRow(row, statusCode, idsInPath(row), sql`(select where ${condition}) as unchanged`, false);
}

function insertRow(row: AskedRow, statusCode: number, ids: SQL, from: SQL, isChange: boolean): SQL {
  const { id, actor, keyId, address, requestId, method, route, bodyHash, createdAt } = row;
  const named = sql`(select id from corporate_accounts where corporate_id = ${row.corporateId})`;
  return sql`
    insert into ${auditLog}
      (id, corporate_account_id, actor, key_id, address, request_id, method, route, resource_ids, body_hash, status_code, is_change, created_at)
    select ${id}, coalesce(${row.corporateAccountId}, ${named}), ${actor}, ${keyId}, ${address}, ${requestId}, ${method}, ${route},
      ${ids}, ${bodyHash}, ${statusCode}::integer, ${isChange}, ${createdAt.toISOString()}::timestamptz
    from ${from}
    where ${ids} is not null
    on conflict (id) do nothing`;
}
