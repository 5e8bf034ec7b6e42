import { and, eq, getTableColumns, inArray, isNull, lte, sql, type SQL } from 'drizzle-orm';
import type { AccountKey } from '../accounts/account-key.ts';
import type { Account } from '../accounts/account.ts';
import { accountColumns } from '../accounts/accounts.store.ts';
import {
  ACTIVE_IMPORT_STATUSES,
  type ImportedUse,
  type ImportFault,
  type ImportWait,
} from '../platform/database/vocabulary/import.ts';
import { runBatch, type SystemDb, type TenantDb } from '../platform/database/client.ts';
import {
  accountKeys,
  accountLimits,
  corporateAccounts,
  importChunks,
  imports,
  orders,
  unfinishedStates,
  type StoredLimits,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import type { Import } from './imports.store.ts';
import { rivalFault, USED_BY_ROW } from './row-fault.ts';

/** The most faults of an import that are kept. */
const MAX_KEPT_FAULTS = 1_000;

/** An import that is to be worked on. */
export type WorkedImport = Omit<Import, 'columns' | 'preview' | 'faults'> & Pick<Import, 'columns'>;

/** A part of an import that is to be worked on. */
export interface Work {
  readonly import: WorkedImport;
  readonly account: Account;
  readonly isActive: boolean;
  /** Undefined: a global API key. */
  readonly key: (AccountKey & { readonly revokedAt: Date | null }) | undefined;
  /** Undefined: there is none left. */
  readonly chunk: typeof importChunks.$inferSelect | undefined;
  /** How many orders of the account on the chain have not ended, up to a bound. */
  readonly ordersUnderWay: number;
}

/** An import that can be worked on, and whose it is. */
interface DueImport {
  readonly id: string;
  readonly accountId: string;
}

/** The most accounts of which imports are found at once. */
const MAX_ACCOUNTS = 100;

/** Of each account with imports that are due, the one that has waited longest; the accounts in random order. */
export async function dueImports(db: SystemDb, now: Date): Promise<readonly DueImport[]> {
  const ofAccounts = db.sql
    .selectDistinctOn([imports.corporateAccountId], { id: imports.id, accountId: imports.corporateAccountId })
    .from(imports)
    .where(and(inArray(imports.status, ACTIVE_IMPORT_STATUSES), lte(imports.nextTryAt, now)))
    .orderBy(imports.corporateAccountId, imports.nextTryAt)
    .as('due');
  return await tagged(
    'due-imports',
    db.sql
      .select()
      .from(ofAccounts)
      .orderBy(sql`random()`)
      .limit(MAX_ACCOUNTS),
  );
}

/** When each of these imports that have not ended can be worked on, and whether it waits, rather than being taken. */
export async function nextTries(
  db: SystemDb,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly at: Date; readonly isWaiting: boolean }[]> {
  const rows = await db.sql
    .select({ id: imports.id, at: imports.nextTryAt, waiting: imports.waiting })
    .from(imports)
    .where(and(inArray(imports.id, [...ids]), inArray(imports.status, ACTIVE_IMPORT_STATUSES)));
  return rows.map(({ id, at, waiting }) => ({ id, at, isWaiting: waiting?.until === at.toISOString() }));
}

/**
 * Takes an import to work on its next rows, in one round trip.
 * @param leaseUntil Until then nobody else takes it.
 * @param maxUnderWay Up to so many orders are counted.
 * @returns undefined if there is nothing to do for it, or somebody else does it.
 */
export async function takeWork(
  db: SystemDb,
  id: string,
  { now, leaseUntil, maxUnderWay }: { readonly now: Date; readonly leaseUntil: Date; readonly maxUnderWay: number },
): Promise<Work | undefined> {
  const { preview: _, faults: __, ...columns } = getTableColumns(imports);
  const { id: keyId, kind, scopes, allowedAddresses, expiresAt, revokedAt } = accountKeys;
  const isActive = inArray(imports.status, ACTIVE_IMPORT_STATUSES);
  const ofImport = (column: string) => sql`(select ${sql.raw(column)} from ${imports} where id = ${id})`;
  const atCursor = and(eq(importChunks.importId, id), sql`${importChunks.place} = ${ofImport('cursor')}`);
  const {
    imports: [taken],
    owners: [owner],
    keys: [key],
    chunks: [chunk],
    underWay,
  } = await runBatch(db, {
    imports: tagged(
      'take-import',
      db.sql
        .update(imports)
        .set({ nextTryAt: leaseUntil })
        .where(and(eq(imports.id, id), isActive, lte(imports.nextTryAt, now)))
        .returning(columns),
    ),
    owners: db.sql
      .select({ account: accountColumns, status: corporateAccounts.status })
      .from(corporateAccounts)
      .where(sql`${corporateAccounts.id} = ${ofImport('corporate_account_id')}`),
    keys: db.sql
      .select({ id: keyId, kind, scopes, allowedAddresses, expiresAt, revokedAt })
      .from(accountKeys)
      .where(sql`${keyId} = ${ofImport("caller ->> 'keyId'")}`),
    run: db.sql
      .update(importChunks)
      .set({ runAt: now })
      .where(and(atCursor, isNull(importChunks.runAt), sql`${ofImport('status')} = 'RUNNING'`)),
    chunks: db.sql.select().from(importChunks).where(atCursor),
    underWay: db.sql.execute<{ orders: string }>(
      tagged(
        'orders-under-way',
        sql`
      select count(*) as orders from (
        select 1 from ${orders} t
        where t.corporate_account_id = ${ofImport('corporate_account_id')} and t.chain_id = ${ofImport('chain_id')}
          and t.state in ${unfinishedStates} and t.approval_until is null limit ${maxUnderWay}) as counted`,
      ),
    ),
  });
  if (taken === undefined || owner === undefined) return undefined;
  const { account, status } = owner;
  const ordersUnderWay = Number(underWay.rows[0]?.orders);
  return { import: taken, account, isActive: status === 'ACTIVE', key, chunk, ordersUnderWay };
}

/** What the check of rows has found. */
export interface Findings {
  readonly rows: number;
  readonly faultyRows: number;
  readonly faultCount: number;
  /** The first of them. */
  readonly faults: readonly ImportFault[];
}

/** The values that add findings to those of an import. */
function withFindings(one: WorkedImport, { rows, faultyRows, faultCount, faults }: Findings) {
  const kept = faults.slice(0, Math.max(0, MAX_KEPT_FAULTS - one.faultCount));
  return {
    rowsChecked: one.rowsChecked + rows,
    faultyRows: one.faultyRows + faultyRows,
    faultCount: one.faultCount + faultCount,
    ...(kept.length === 0 ? {} : { faults: sql`${imports.faults} || ${JSON.stringify(kept)}::jsonb` }),
  };
}

/** The import as it was taken: nobody has worked on the same part in the meantime. */
function asTaken({ id, cursor, status }: WorkedImport) {
  return and(eq(imports.id, id), eq(imports.cursor, cursor), eq(imports.status, status));
}

function isTaken(one: WorkedImport) {
  return sql`exists (select from ${imports} where ${asTaken(one)})`;
}

/** Stores what the check of a chunk has found: `refusals` are why its rows are left out. */
export async function storeFindings(
  db: SystemDb,
  one: WorkedImport,
  findings: Findings & { readonly uses: readonly ImportedUse[]; readonly refusals: readonly ImportFault[] },
  now: Date,
): Promise<void> {
  const { id, cursor } = one;
  const { uses, refusals } = findings;
  const ofChunk = and(eq(importChunks.importId, id), eq(importChunks.place, cursor), isTaken(one));
  await runBatch(db, {
    chunk: tagged('store-import-findings', db.sql.update(importChunks).set({ uses, refusals }).where(ofChunk)),
    import: db.sql
      .update(imports)
      .set({ ...withFindings(one, findings), cursor: cursor + 1, waiting: null, nextTryAt: now, updatedAt: now })
      .where(asTaken(one)),
  });
}

/** The rows that use a token or a document that an earlier row of the import uses for something else, as `rivals`. */
function withRivals(importId: string): SQL {
  return sql`
    with used as (
      select u.*, c.place, first_value(u.holder) over resources as first_holder, first_value(u.row) over resources as first
      from ${importChunks} c,
        jsonb_to_recordset(c.uses) as u("row" integer, "column" text, resource text, holder text, "isFaulty" boolean)
      where c.import_id = ${importId}
      window resources as (partition by u.resource order by u.row)
    ),
    rivals as (select * from used where holder <> first_holder)`;
}

/**
 * Finds the rows that use a token or a document that an earlier row of the import uses for something else.
 * @returns the findings; `faults` has the first of them.
 */
export async function findRivals(db: SystemDb, importId: string): Promise<Findings> {
  const { rows } = await db.sql.execute<{
    faults: readonly { readonly row: number; readonly column: string; readonly first: number }[];
    faultCount: string;
    faultyRows: string;
  }>(
    tagged(
      'import-rivals',
      sql`
    ${withRivals(importId)}
    select
      (select coalesce(jsonb_agg(jsonb_build_object('row', f.row, 'column', f."column", 'first', f.first)), '[]') from (
        select * from rivals r order by r.row limit ${MAX_KEPT_FAULTS}) as f) as faults,
      (select count(*) from rivals) as "faultCount",
      (select count(distinct r.row) from rivals r where not r."isFaulty") as "faultyRows"`,
    ),
  );
  const [found] = rows;
  if (found === undefined) throw new Error('The search for rivals returned no row');
  return {
    rows: 0,
    faultyRows: Number(found.faultyRows),
    faultCount: Number(found.faultCount),
    faults: found.faults.map((rival) => rivalFault(rival, rival.first)),
  };
}

/** Ends the check of an import with what all rows together have shown: rivals are left out too. */
export async function endCheck(db: SystemDb, one: WorkedImport, findings: Findings, now: Date): Promise<void> {
  await runBatch(db, {
    rivals: db.sql.execute(
      tagged(
        'refuse-import-rivals',
        sql`
      ${withRivals(one.id)},
      refusals as (
        select place, jsonb_agg(jsonb_build_object('row', "row", 'column', "column", 'code', 'not_allowed', 'message', ${USED_BY_ROW}::text || first) order by "row") as added
        from rivals group by place
      )
      update ${importChunks} c set refusals = c.refusals || r.added
      from refusals r where c.import_id = ${one.id} and c.place = r.place and ${isTaken(one)}`,
      ),
    ),
    import: db.sql
      .update(imports)
      .set({ ...withFindings(one, findings), status: 'CHECKED', waiting: null, updatedAt: now })
      .where(asTaken(one)),
  });
}

/** Stores how a chunk has ended; with the last one the import is COMPLETED, unless it was cancelled meanwhile. */
export async function storeRun(
  db: SystemDb,
  { id, cursor, chunks }: WorkedImport,
  {
    accepted,
    refused,
    refusals,
  }: { readonly accepted: number; readonly refused: number; readonly refusals: readonly ImportFault[] },
  now: Date,
): Promise<void> {
  const isNext = and(eq(imports.id, id), eq(imports.cursor, cursor));
  const ofChunk = and(
    eq(importChunks.importId, id),
    eq(importChunks.place, cursor),
    sql`exists (select from ${imports} where ${isNext})`,
  );
  const isEnd = sql`${cursor + 1 === chunks} and ${imports.status} in ('RUNNING', 'PAUSED')`;
  const at = sql`${now.toISOString()}::timestamptz`;
  await runBatch(db, {
    chunk: tagged(
      'store-import-run',
      db.sql.update(importChunks).set({ cells: null, uses: null, refusals }).where(ofChunk),
    ),
    import: db.sql
      .update(imports)
      .set({
        cursor: cursor + 1,
        accepted: sql`${imports.accepted} + ${accepted}`,
        refused: sql`${imports.refused} + ${refused}`,
        waiting: sql`case when ${imports.status} = 'RUNNING' then null else ${imports.waiting} end`,
        status: sql`case when ${isEnd} then 'COMPLETED' else ${imports.status} end`,
        bytes: sql`case when ${isEnd} then 0 else ${imports.bytes} end`,
        endedAt: sql`case when ${isEnd} then ${at} else ${imports.endedAt} end`,
        nextTryAt: now,
        updatedAt: now,
      })
      .where(isNext),
  });
}

export async function storeWait(db: SystemDb, one: WorkedImport, message: string, until: Date): Promise<void> {
  const waiting: ImportWait = { message, until: until.toISOString() };
  await db.sql.update(imports).set({ waiting, nextTryAt: until }).where(asTaken(one));
}

/** Pauses an import that nobody may carry on in the name of its caller. */
export async function storePause(db: SystemDb, one: WorkedImport, message: string, now: Date): Promise<void> {
  const waiting: ImportWait = { message, until: null };
  await db.sql.update(imports).set({ status: 'PAUSED', waiting, updatedAt: now }).where(asTaken(one));
}

/** The limits of an account; undefined if it has none. */
export async function readLimits(db: TenantDb): Promise<StoredLimits | undefined> {
  const [row] = await db.sql
    .select({ limits: accountLimits.limits })
    .from(accountLimits)
    .where(eq(accountLimits.corporateAccountId, db.accountId));
  return row?.limits;
}

/** Imports that should have been worked on since `before`: their message may be lost. */
export async function overdueImports(db: SystemDb, before: Date, limit: number): Promise<string[]> {
  const rows = await db.sql
    .select({ id: imports.id })
    .from(imports)
    .where(and(inArray(imports.status, ACTIVE_IMPORT_STATUSES), lte(imports.nextTryAt, before)))
    .orderBy(imports.nextTryAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}
