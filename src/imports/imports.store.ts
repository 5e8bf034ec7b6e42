import { and, desc, eq, getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import { lockAccount } from '../accounts/accounts.store.ts';
import type { ImportCaller, ImportedRow, ImportStatus } from '../platform/database/vocabulary/import.ts';
import type { PageRange } from '../core/paging.ts';
import { runBatch, type TenantDb } from '../platform/database/client.ts';
import { ofAccount, ofVisibleChain, searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { runChange } from '../platform/database/record-change.ts';
import { importChunks, imports } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';

export type Import = typeof imports.$inferSelect;

export type ListedImport = Omit<Import, 'columns' | 'preview' | 'faults'>;

const { columns: _, preview: __, faults: ___, ...listedColumns } = getTableColumns(imports);

const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/** An import before its rows are read. */
export type NewImport = Pick<Import, 'id' | 'chainId' | 'contractAddress' | 'kind' | 'caller' | 'bytes' | 'createdAt'>;

/**
 * Stores an import whose file is about to be read, unless the account would have more imports that have not ended than
 * `most`, or more bytes of their files.
 * @returns whether it is stored.
 */
export async function insertImport(
  db: TenantDb,
  values: NewImport,
  most: { readonly bytes: number; readonly imports: number },
): Promise<boolean> {
  const { id, chainId, contractAddress, kind, caller, bytes, createdAt } = values;
  const { insert } = await runBatch(db, {
    lock: lockAccount(db),
    insert: db.sql.execute(
      tagged(
        'insert-import',
        sql`
      insert into ${imports} (id, corporate_account_id, chain_id, contract_address, kind, status, bytes, caller, next_try_at, created_at, updated_at)
      select ${id}, ${db.accountId}, ${chainId}, ${contractAddress}, ${kind}, 'UPLOADING', ${bytes}::integer, ${JSON.stringify(caller)}::jsonb,
        ${instantOf(createdAt)}, ${instantOf(createdAt)}, ${instantOf(createdAt)}
      from (select count(*) as count, coalesce(sum(bytes), 0) as bytes from ${imports} where corporate_account_id = ${db.accountId} and bytes > 0) as others
      where others.count < ${most.imports}::integer and others.bytes + ${bytes}::bigint <= ${most.bytes}::bigint`,
      ),
    ),
  });
  return insert.rowCount === 1;
}

/** A hundred rows of an import, or fewer. */
export interface NewChunk {
  readonly place: number;
  readonly rows: readonly ImportedRow[];
}

/** Adds rows to an import whose file is being read; once it is cancelled, to none. */
export async function insertChunks(db: TenantDb, id: string, chunks: readonly NewChunk[], now: Date): Promise<void> {
  const shape = { place: 'integer', numbers: 'jsonb', cells: 'text' } as const;
  const rows = chunks.map((chunk) => ({
    place: chunk.place,
    numbers: chunk.rows.map(({ row }) => row),
    cells: JSON.stringify(chunk.rows.map(({ cells }) => cells)),
  }));
  await db.sql.execute(
    tagged(
      'insert-import-chunks',
      sql`
    with uploading as (update ${imports} set updated_at = ${instantOf(now)} where ${isOwn(db, id)} and status = 'UPLOADING' returning id)
    insert into ${importChunks} (import_id, place, numbers, cells)
    select uploading.id, v.place, array(select jsonb_array_elements_text(v.numbers)::integer), v.cells
    from uploading, ${valuesTable('v', shape, rows)}`,
    ),
  );
}

function isOwn(db: TenantDb, id: string): SQL {
  return sql`${imports.id} = ${id} and ${imports.corporateAccountId} = ${db.accountId}`;
}

/**
 * Ends the reading of a file, so that its rows are checked.
 * @returns the import; undefined if it was cancelled meanwhile.
 */
export async function endUpload(
  db: TenantDb,
  id: string,
  { columns, preview, bytes, rows, chunks }: Pick<Import, 'columns' | 'preview' | 'bytes' | 'rows' | 'chunks'>,
  now: Date,
): Promise<Import | undefined> {
  const { stored } = await runChange(
    db,
    {
      stored: db.sql
        .update(imports)
        .set({ status: 'CHECKING', columns, preview, bytes, rows, chunks, nextTryAt: now, updatedAt: now })
        .where(and(isOwn(db, id), eq(imports.status, 'UPLOADING')))
        .returning(),
    },
    sql`select ${imports.id} from ${imports} where ${isOwn(db, id)} and status = 'CHECKING'`,
  );
  return stored[0];
}

/** Removes an import whose file could not be read to its end. */
export async function removeUpload(db: TenantDb, id: string): Promise<void> {
  const isReading = sql`exists (select from ${imports} where ${isOwn(db, id)} and status = 'UPLOADING')`;
  await runBatch(db, {
    chunks: db.sql.delete(importChunks).where(and(eq(importChunks.importId, id), isReading)),
    import: db.sql.delete(imports).where(and(isOwn(db, id), eq(imports.status, 'UPLOADING'))),
  });
}

/** An import of the account. */
export async function findImport(db: TenantDb, id: string): Promise<Import | undefined> {
  const [row] = await db.sql.select().from(imports).where(isOwn(db, id));
  return row;
}

/** A page of the account's imports, newest first; without those on chains that the caller may not see. */
export function listImports(
  db: TenantDb,
  status: ImportStatus | undefined,
  page: PageRange,
): Promise<SearchedRows<ListedImport>> {
  const filter = and(ofVisibleChain(imports, db), status === undefined ? undefined : eq(imports.status, status));
  return searchPage(db, imports, { records: ofAccount(imports, db, page), filter }, page, (newest) =>
    db.sql.select(listedColumns).from(newest).where(filter).orderBy(desc(imports.id)).limit(page.take),
  );
}

/** A change of an import's status on request. */
export interface StatusChange {
  readonly from: readonly ImportStatus[];
  readonly to: ImportStatus;
  /** For whom its rows are accepted from then on. */
  readonly caller?: ImportCaller;
  /** Whether it is refused while the import has faults. */
  readonly isForFaultless?: boolean;
}

/**
 * Changes the status of an import if it is one of `from`.
 * @returns whether it was.
 */
export async function changeStatus(db: TenantDb, id: string, change: StatusChange, now: Date): Promise<boolean> {
  const { from, to, caller, isForFaultless = false } = change;
  const isStarted = from.includes('CHECKED') && to === 'RUNNING';
  const isEnded = to === 'CANCELLED';
  const update = db.sql
    .update(imports)
    .set({
      status: to,
      waiting: null,
      nextTryAt: now,
      updatedAt: now,
      ...(caller === undefined ? {} : { caller }),
      ...(isStarted ? { startedAt: now, cursor: 0 } : {}),
      ...(isEnded ? { endedAt: now, bytes: 0 } : {}),
    })
    .where(
      and(isOwn(db, id), inArray(imports.status, [...from]), isForFaultless ? eq(imports.faultCount, 0) : undefined),
    )
    .returning({ id: imports.id });
  const isChanged = sql`${isOwn(db, id)} and ${imports.status} = ${to} and ${imports.updatedAt} = ${instantOf(now)}`;
  const changed = sql`select ${imports.id} from ${imports} where ${isChanged}`;
  const dropRows = db.sql
    .update(importChunks)
    .set({ cells: null, uses: null })
    .where(and(eq(importChunks.importId, id), sql`exists (${changed})`, sql`cells is not null`));
  const { updated } = await runChange(db, { updated: update, dropped: isEnded ? dropRows : undefined }, changed);
  return updated.length === 1;
}
