import { and, desc, eq, exists, getTableColumns, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { TenantDb } from '../../platform/database/client.ts';
import { visible } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { metadata, metadataVersions } from '../../platform/database/schema.ts';
import type { TokenDocument } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import type { documentColumns } from './document-columns.ts';
import { fitPage } from './fit-page.ts';
import type { Metadata } from './metadata.store.ts';
import { mayBecome } from './status-rules.store.ts';

/** A change of a document. */
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
  /** When another edit may be possible, if the earlier versions of a day have reached {@link KEPT_BYTES}; otherwise null. */
  readonly nextEditAt: Date | null;
}

/** The most bytes of earlier versions, as the database stores them, that the edits of a document keep within a day. */
export const KEPT_BYTES = 8 * 1_024 * 1_024;
/** How many versions are added up: if these are the newest of a day, they are small. */
const MAX_ADDED_UP = 1_000;

export type MetadataVersion = typeof metadataVersions.$inferSelect & { readonly standardFields: TokenDocument };

/**
 * Writes a status to all of its places, so that they stay equal, unless the account's rules or `expected` do not allow it.
 * @param expected The status that it must have; null: none; undefined: any.
 * @returns undefined when the caller sees no such document. A certificate is not changed.
 */
export async function changeStatus(
  db: TenantDb,
  change: DocumentChange & { readonly status: string; readonly expected: string | null | undefined },
): Promise<TriedChange | undefined> {
  const { status, expected } = change;
  const value = sql`to_jsonb(${status}::text)`;
  const { attributes, standardFields, utility, currentStatus } = metadata;
  // All of a document but its status is kept by the next change of anything else: a key for statuses must not copy documents without end.
  const isOnlyStatus = sql`${standardFields} = ${withStatus(sql`${standardFields}`, sql`to_jsonb(${currentStatus})`)}`;
  return await changeDocument(db, change, {
    condition: and(
      mayBecome(db, status),
      expected === undefined ? undefined : sql`${currentStatus} is not distinct from ${expected}::text`,
    ),
    set: {
      currentStatus: status,
      attributes: withStatusTrait(sql`${attributes}`, 'traitType', value),
      utility: sql`jsonb_set(${utility}, '{data,status}', ${value})`,
      standardFields: withStatus(sql`${standardFields}`, value),
    },
    kept: sql`case when ${currentStatus} is not null and ${isOnlyStatus} then null else ${standardFields} end`,
  });
}

/**
 * Replaces the content of a document, unless it has another version, is frozen, the account's rules do not allow its new status, or the earlier
 * versions of a day have too many bytes.
 * @returns undefined when the caller sees no such document. A certificate is not changed.
 */
export async function editDocument(
  db: TenantDb,
  change: DocumentChange,
  { version, columns }: { readonly version: number; readonly columns: ReturnType<typeof documentColumns> },
): Promise<TriedChange | undefined> {
  const { currentStatus } = columns;
  return await changeDocument(db, change, {
    condition: and(
      eq(metadata.version, version),
      isNull(metadata.frozenAt),
      isNull(nextEditAt(change.now)),
      or(sql`${metadata.currentStatus} is not distinct from ${currentStatus}::text`, mayBecome(db, currentStatus)),
    ),
    set: columns,
    kept: sql`${metadata.standardFields}`,
  });
}

/** Freezes a document that is not a certificate. One that is frozen already stays as it is. @returns undefined if there is none. */
export async function freezeDocument(db: TenantDb, id: string, now: Date): Promise<Metadata | undefined> {
  const isOwn = and(eq(metadata.id, id), visible(metadata, db), isNull(metadata.metadataHash));
  const frozenAt = sql`coalesce(${metadata.frozenAt}, ${now.toISOString()}::timestamptz)`;
  const freeze = db.sql.update(metadata).set({ frozenAt }).where(isOwn).returning();
  const isFrozenNow = and(isOwn, eq(metadata.frozenAt, now));
  const [[row]] = await runChange(db, [freeze], sql`select ${metadata.id} from ${metadata} where ${isFrozenNow}`);
  return row;
}

/**
 * Earlier versions of a document of the account, newest first.
 * @param before Only versions below this one.
 * @returns at most `limit`, and as many as fit into a page, but at least one; none if there is no more.
 */
export async function listVersions(
  db: TenantDb,
  metadataId: string,
  before: number | undefined,
  limit: number,
): Promise<MetadataVersion[]> {
  const { corporateAccountId, version } = metadataVersions;
  const standardFields = wholeDocument();
  const ofDocument = and(eq(metadataVersions.metadataId, metadataId), eq(corporateAccountId, db.accountId));
  const newest = await db.sql
    .select({ version, bytes: sql`octet_length(${standardFields}::text)`.mapWith(Number) })
    .from(metadataVersions)
    .where(and(ofDocument, before === undefined ? undefined : lt(version, before)))
    .orderBy(desc(version))
    .limit(limit);
  const versions = fitPage(newest).map((row) => row.version);
  if (versions.length === 0) return [];
  return await db.sql
    .select({ ...getTableColumns(metadataVersions), standardFields: sql<TokenDocument>`${standardFields}` })
    .from(metadataVersions)
    .where(and(ofDocument, inArray(version, versions)))
    .orderBy(desc(version));
}

/**
 * Makes a change and keeps the version that it replaces. The row is locked first. The version kept marks the change as made: every later
 * statement is restricted to it.
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
  const [, , , [tried]] = await runChange(
    db,
    [
      db.sql.execute(sql`select ${metadata.id} from ${metadata} where ${isOwn} for no key update`),
      db.sql.execute(sql`
        insert into ${metadataVersions}
          (id, corporate_account_id, metadata_id, version, schema_version, current_status, standard_fields,
            replaced_at, replaced_by, replaced_by_key_id)
        select ${id}, ${metadata.corporateAccountId}, ${metadata.id}, ${metadata.version}, ${metadata.schemaVersion},
          ${metadata.currentStatus}, ${kept},
          ${now.toISOString()}::timestamptz, ${asked?.actor ?? null}, ${asked?.keyId ?? null}
        from ${metadata} where ${and(isOwn, isNull(metadata.metadataHash), condition)}
        on conflict (id) do nothing`),
      tagged(
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
      db.sql
        .select({
          document: metadata,
          isMade: sql<boolean>`${isMade()}`,
          nextEditAt: sql<Date | null>`${nextEditAt(now)}`.mapWith(metadata.updatedAt),
        })
        .from(metadata)
        .where(isOwn),
    ],
    sql`select ${metadata.id} from ${metadata} where ${and(isOwn, isMade())}`,
  );
  return tried;
}

/** When the first of the versions of a day is no longer counted, if another one would exceed {@link KEPT_BYTES}; otherwise null. */
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
  return sql`coalesce(${standardFields}, ${withStatus(next, sql`to_jsonb(${currentStatus})`)})`;
}

/** A public document with another status, in each of its places. */
function withStatus(document: SQL, value: SQL): SQL {
  const traits = withStatusTrait(sql`${document} -> 'attributes'`, 'trait_type', value);
  return sql`jsonb_set(jsonb_set(${document}, '{utility,data,status}', ${value}), '{attributes}', ${traits})`;
}

/** Traits with the Status trait set, or appended if there is none. */
function withStatusTrait(traits: SQL, nameKey: 'traitType' | 'trait_type', value: SQL): SQL {
  const isStatus = sql`trait ->> ${sql.raw(`'${nameKey}'`)} = 'Status'`;
  const statusTrait = sql`jsonb_build_object(${sql.raw(`'${nameKey}'`)}, 'Status', 'value', ${value})`;
  return sql`(
    select coalesce(jsonb_agg(case when ${isStatus} then ${statusTrait} else trait end order by position), '[]')
      || case when coalesce(bool_or(${isStatus}), false) then '[]' else jsonb_build_array(${statusTrait}) end
    from jsonb_array_elements(${traits}) with ordinality as traits(trait, position)
  )`;
}
