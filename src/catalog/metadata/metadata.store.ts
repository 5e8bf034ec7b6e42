import { and, desc, eq, exists, getTableColumns, inArray, isNull, lt, or, sql, type SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { holderOf } from '../../holdings/holdings.store.ts';
import { runBatch, type Rows, type TenantDb } from '../../platform/database/client.ts';
import {
  ofAccount,
  ofVisibleChain,
  searchPage,
  visible,
  type SearchedRows,
} from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { metadata, metadataVersions, type TokenDocument } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';
import type { VersionRange } from '../../core/version-paging.ts';
import { oneColumn } from '../../platform/database/json-rows.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { rowsFor } from '../../platform/database/values.ts';
import { statusOf } from './document.ts';
import { ifItFits } from './if-it-fits.store.ts';
import { hasListedStatus, mayBecome } from './status-rules.store.ts';

export type Metadata = typeof metadata.$inferSelect & {
  /** Who holds its token; read for replies to GET. */
  readonly holder?: Address | null;
};

/** Spelled out: where a statement reads one table, drizzle leaves the table's name out. */
const holder = holderOf({ contractAddress: sql`${metadata}.contract_address`, tokenId: sql`${metadata}.token_id` });

/**
 * Inserts documents; one whose id exists is left unchanged.
 * @returns those that are stored, without new ones whose status the account's rules do not have.
 */
export async function insertMetadata(db: TenantDb, documents: readonly Metadata[]): Promise<Metadata[]> {
  const ids = documents.map(({ id }) => id);
  const stored = and(inArray(metadata.id, ids), eq(metadata.corporateAccountId, db.accountId));
  const rows = documents.map((document) => ({ ...document, corporateAccountId: db.accountId }));
  const { found } = await runChange(
    db,
    {
      insert: tagged(
        'insert-metadata',
        db.sql
          .insert(metadata)
          .select(rowsFor(metadata, rows, hasListedStatus(db)))
          .onConflictDoNothing({ target: metadata.id }),
      ),
      found: db.sql
        .select({ document: oneColumn(getTableColumns(metadata)) })
        .from(metadata)
        .where(stored),
    },
    sql`select ${metadata.id} from ${metadata} where ${stored}`,
  );
  return found.map(({ document }) => document);
}

export interface MetadataFilter {
  readonly chainId?: string | undefined;
  readonly contractAddress?: LowerCaseAddress | undefined;
}

/** A page of the account's documents, newest first: as many as fit. */
export async function listMetadata(
  db: TenantDb,
  { chainId, contractAddress }: MetadataFilter,
  page: PageRange,
): Promise<SearchedRows<Metadata>> {
  const records = and(
    ofAccount(metadata, db, page),
    contractAddress === undefined ? undefined : eq(metadata.contractAddress, contractAddress),
  );
  const filter = and(ofVisibleChain(metadata, db), chainId === undefined ? undefined : eq(metadata.chainId, chainId));
  const standardFields = ifItFits(metadata.standardFields, desc(metadata.id));
  const { rows, searchedTo } = await searchPage(db, metadata, { records, filter }, page, (newest) =>
    db.sql
      .select({ ...getTableColumns(metadata), standardFields, holder })
      .from(newest)
      .where(filter)
      .orderBy(desc(metadata.id))
      .limit(page.take),
  );
  const shown = rows.filter(hasDocument);
  return { rows: shown, searchedTo: shown.length < rows.length ? shown.at(-1)?.id : searchedTo };
}

/** The statement that reads a document of the account. */
export function findMetadata(db: TenantDb, id: string): Rows<Metadata> {
  return db.sql
    .select({ ...getTableColumns(metadata), holder })
    .from(metadata)
    .where(and(eq(metadata.id, id), eq(metadata.corporateAccountId, db.accountId)));
}

interface DocumentChange {
  /** Its own id, which a retried request has again. */
  readonly id: string;
  readonly metadataId: string;
  readonly now: Date;
}

/** A document after a change was tried. */
export interface TriedChange {
  readonly document: Metadata;
  /** Whether the change was made, now or by an earlier attempt. */
  readonly isMade: boolean;
  /**
   * When another edit may be possible, if the earlier versions of a day have reached {@link KEPT_BYTES}; otherwise
   * null.
   */
  readonly nextEditAt: Date | null;
}

/** The most bytes of earlier versions, as the database stores them, that the edits of a document keep within a day. */
export const KEPT_BYTES = 8 * 1_024 * 1_024;
/** How many versions are added up: if these are the newest of a day, they are small. */
const MAX_ADDED_UP = 1_000;

export type MetadataVersion = typeof metadataVersions.$inferSelect & { readonly standardFields: TokenDocument };

/**
 * Writes a status to all of its places, so that they stay equal, unless the account's rules or `expected` do not allow
 * it.
 * @param expected The status that it must have; null: none; undefined: any.
 * @returns undefined when the caller sees no such document. A certificate is not changed.
 */
export async function changeStatus(
  db: TenantDb,
  change: DocumentChange & { readonly status: string; readonly expected: string | null | undefined },
): Promise<TriedChange | undefined> {
  const { status, expected } = change;
  const { standardFields, currentStatus } = metadata;
  // All of a document but its status is kept by the next change of anything else: a key for statuses must not copy
  // documents without end.
  const isOnlyStatus = sql`${standardFields} = ${withStatus(sql`${standardFields}`, sql`${currentStatus}`)}`;
  return await changeDocument(db, change, {
    condition: and(
      mayBecome(db, status),
      expected === undefined ? undefined : sql`${currentStatus} is not distinct from ${expected}::text`,
    ),
    set: { standardFields: withStatus(sql`${standardFields}`, sql`${status}::text`) },
    kept: sql`case when ${currentStatus} is not null and ${isOnlyStatus} then null else ${standardFields} end`,
  });
}

/**
 * Replaces the content of a document, unless it has another version, is frozen, the account's rules do not allow its
 * new status, or the earlier versions of a day have too many bytes.
 * @returns undefined when the caller sees no such document. A certificate is not changed.
 */
export async function editDocument(
  db: TenantDb,
  change: DocumentChange,
  { version, ...set }: Pick<Metadata, 'version' | 'schemaVersion' | 'standardFields'>,
): Promise<TriedChange | undefined> {
  const status = statusOf(set.standardFields);
  return await changeDocument(db, change, {
    condition: and(
      eq(metadata.version, version),
      isNull(metadata.frozenAt),
      isNull(nextEditAt(change.now)),
      or(sql`${metadata.currentStatus} is not distinct from ${status}::text`, mayBecome(db, status)),
    ),
    set,
    kept: sql`${metadata.standardFields}`,
  });
}

/**
 * Freezes a document that is not a certificate. One that is frozen already stays as it is.
 * @returns undefined if there is none.
 */
export async function freezeDocument(db: TenantDb, id: string, now: Date): Promise<Metadata | undefined> {
  const isOwn = and(eq(metadata.id, id), visible(metadata, db), isNull(metadata.metadataHash));
  const frozenAt = sql`coalesce(${metadata.frozenAt}, ${now.toISOString()}::timestamptz)`;
  const freeze = db.sql.update(metadata).set({ frozenAt }).where(isOwn).returning();
  const isFrozenNow = and(isOwn, eq(metadata.frozenAt, now));
  const { frozen } = await runChange(
    db,
    { frozen: freeze },
    sql`select ${metadata.id} from ${metadata} where ${isFrozenNow}`,
  );
  return frozen[0];
}

/**
 * A document of the account, and its earlier versions, newest first.
 * @param before Only versions below this one.
 * @returns `versions`: at most `limit`, and as many as fit into a page, but at least one; none if there is no more.
 */
export async function findWithVersions(
  db: TenantDb,
  metadataId: string,
  { before, limit }: VersionRange,
): Promise<{ readonly found: readonly Metadata[]; readonly versions: readonly MetadataVersion[] }> {
  const { corporateAccountId, version } = metadataVersions;
  const ofDocument = and(eq(metadataVersions.metadataId, metadataId), eq(corporateAccountId, db.accountId));
  const { found, versions } = await runBatch(db, {
    found: findMetadata(db, metadataId),
    versions: db.sql
      .select({ ...getTableColumns(metadataVersions), standardFields: ifItFits(wholeDocument(), desc(version)) })
      .from(metadataVersions)
      .where(and(ofDocument, before === undefined ? undefined : lt(version, before)))
      .orderBy(desc(version))
      .limit(limit),
  });
  return { found, versions: versions.filter(hasDocument) };
}

/**
 * Makes a change and keeps the version that it replaces. The row is locked first. The version kept marks the change as
 * made: every later statement is restricted to it.
 * @param condition What must hold of the row. @param kept What is kept of the document itself.
 */
async function changeDocument(
  db: TenantDb,
  { id, metadataId, now }: DocumentChange,
  {
    condition,
    set,
    kept,
  }: { readonly condition: SQL | undefined; readonly set: PgUpdateSetSource<typeof metadata>; readonly kept: SQL },
): Promise<TriedChange | undefined> {
  const isOwn = and(eq(metadata.id, metadataId), visible(metadata, db));
  const asked = db.asked?.row();
  const isMade = (version?: SQL) =>
    exists(
      db.sql
        .select({ id: metadataVersions.id })
        .from(metadataVersions)
        .where(and(eq(metadataVersions.id, id), eq(metadataVersions.metadataId, metadata.id), version)),
    );
  const { tried } = await runChange(
    db,
    {
      lock: db.sql.execute(sql`select ${metadata.id} from ${metadata} where ${isOwn} for no key update`),
      keep: db.sql.execute(sql`
        insert into ${metadataVersions}
          (id, corporate_account_id, metadata_id, version, schema_version, current_status, standard_fields,
            replaced_at, replaced_by, replaced_by_key_id)
        select ${id}, ${metadata.corporateAccountId}, ${metadata.id}, ${metadata.version}, ${metadata.schemaVersion},
          ${metadata.currentStatus}, ${kept},
          ${now.toISOString()}::timestamptz, ${asked?.actor ?? null}, ${asked?.keyId ?? null}
        from ${metadata} where ${and(isOwn, isNull(metadata.metadataHash), condition)}
        on conflict (id) do nothing`),
      change: tagged(
        'change-document',
        db.sql
          .update(metadata)
          .set({
            ...set,
            version: sql`${metadata.version} + 1`,
            // Later than any earlier change, so that a reader can tell that there was one.
            updatedAt: sql`greatest(${now.toISOString()}::timestamptz, ${metadata.updatedAt} + interval '1 millisecond')`,
          })
          .where(and(isOwn, isMade(sql`${metadataVersions.version} = ${metadata.version}`))),
      ),
      tried: db.sql
        .select({
          document: metadata,
          isMade: sql<boolean>`${isMade()}`,
          nextEditAt: sql<Date | null>`${nextEditAt(now)}`.mapWith(metadata.updatedAt),
        })
        .from(metadata)
        .where(isOwn),
    },
    sql`select ${metadata.id} from ${metadata} where ${and(isOwn, isMade())}`,
  );
  return tried[0];
}

/**
 * When the first of the versions of a day is no longer counted, if another one would exceed {@link KEPT_BYTES};
 * otherwise null.
 */
function nextEditAt(now: Date): SQL {
  const day = sql.raw(`interval '1 day'`);
  return sql`(
    select case when sum(pg_column_size(kept.standard_fields)) + pg_column_size(${metadata.standardFields}) > ${KEPT_BYTES}
      then min(kept.replaced_at) + ${day} end
    from (
      select standard_fields, replaced_at from metadata_versions v
      where v.metadata_id = ${metadata.id} and v.replaced_at > ${now.toISOString()}::timestamptz - ${day}
        and v.standard_fields is not null
      order by v.version desc limit ${MAX_ADDED_UP}) as kept)`;
}

/** The document of a row of `metadata_versions`. */
function wholeDocument(): SQL {
  const { metadataId, version, currentStatus, standardFields } = metadataVersions;
  const next = sql`coalesce(
    (select later.standard_fields from metadata_versions later where later.metadata_id = ${metadataId}
      and later.version > ${version} and later.standard_fields is not null order by later.version limit 1),
    (select m.standard_fields from metadata m where m.id = ${metadataId}))`;
  return sql`coalesce(${standardFields}, ${withStatus(next, sql`${currentStatus}`)})`;
}

/** A document with another status, in `utility.data` and in the Status trait, which is appended if there is none. */
function withStatus(document: SQL, status: SQL): SQL {
  const value = sql`to_jsonb(${status})`;
  const isStatus = sql`trait ->> 'trait_type' = 'Status'`;
  const statusTrait = sql`jsonb_build_object('trait_type', 'Status', 'value', ${value})`;
  return sql`jsonb_set(jsonb_set(${document}, '{utility,data,status}', ${value}), '{attributes}', (
    select coalesce(jsonb_agg(case when ${isStatus} then ${statusTrait} else trait end order by position), '[]')
      || case when coalesce(bool_or(${isStatus}), false) then '[]' else jsonb_build_array(${statusTrait}) end
    from jsonb_array_elements(${document} -> 'attributes') with ordinality as traits(trait, position)
  ))`;
}

function hasDocument<Row extends { readonly standardFields: TokenDocument | null }>(
  row: Row,
): row is Row & { readonly standardFields: TokenDocument } {
  return row.standardFields !== null;
}
