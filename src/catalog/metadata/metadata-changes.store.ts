import { and, desc, eq, exists, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { TenantDb } from '../../platform/database/client.ts';
import { visible } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { metadata, metadataVersions } from '../../platform/database/schema.ts';
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
}

export type MetadataVersion = typeof metadataVersions.$inferSelect;

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
  const traits = withStatusTrait(sql`${standardFields} -> 'attributes'`, 'trait_type', value);
  return await changeDocument(db, change, {
    condition: and(
      mayBecome(db, status),
      expected === undefined ? undefined : sql`${currentStatus} is not distinct from ${expected}::text`,
    ),
    set: {
      currentStatus: status,
      attributes: withStatusTrait(sql`${attributes}`, 'traitType', value),
      utility: sql`jsonb_set(${utility}, '{data,status}', ${value})`,
      standardFields: sql`jsonb_set(jsonb_set(${standardFields}, '{utility,data,status}', ${value}), '{attributes}', ${traits})`,
    },
  });
}

/**
 * Replaces the content of a document, unless it has another version, is frozen, or the account's rules do not allow its new status.
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
      or(sql`${metadata.currentStatus} is not distinct from ${currentStatus}::text`, mayBecome(db, currentStatus)),
    ),
    set: columns,
  });
}

/** Freezes a document that is not a certificate. One that is frozen already stays as it is. @returns undefined if there is none. */
export async function freezeDocument(db: TenantDb, id: string, now: Date): Promise<Metadata | undefined> {
  const isOwn = and(eq(metadata.id, id), visible(metadata, db), isNull(metadata.metadataHash));
  const frozenAt = sql`coalesce(${metadata.frozenAt}, ${now.toISOString()}::timestamptz)`;
  const freeze = db.sql.update(metadata).set({ frozenAt }).where(isOwn).returning();
  const [[row]] = await runChange(db, [freeze], sql`select ${metadata.id} from ${metadata} where ${isOwn}`);
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
  const { corporateAccountId, version, standardFields } = metadataVersions;
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
    .select()
    .from(metadataVersions)
    .where(and(ofDocument, inArray(version, versions)))
    .orderBy(desc(version));
}

/**
 * Makes a change and keeps the version that it replaces. The row is locked first. The version kept marks the change as made: every later
 * statement is restricted to it.
 * @param condition What must hold of the row.
 */
async function changeDocument(
  db: TenantDb,
  { id, metadataId, now }: DocumentChange,
  { condition, set }: { readonly condition: SQL | undefined; readonly set: PgUpdateSetSource<typeof metadata> },
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
          ${metadata.currentStatus}, ${metadata.standardFields},
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
        .select({ document: metadata, isMade: sql<boolean>`${isMade()}` })
        .from(metadata)
        .where(isOwn),
    ],
    sql`select ${metadata.id} from ${metadata} where ${and(isOwn, isMade())}`,
  );
  return tried;
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
