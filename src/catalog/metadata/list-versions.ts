import { z } from 'zod';
import { instantField, recordIdField } from '../../core/fields.ts';
import { pageFields } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { getMetadata } from './get-metadata.ts';
import { listVersions as selectVersions } from './metadata-changes.store.ts';
import type { MetadataVersion } from './metadata-changes.store.ts';
import { metadataReplySchema } from './metadata-reply.ts';

const PAGE_SIZE = 50;
const VERSION = /^[1-9]\d{0,8}$/;

export const versionsQuery = z.object({
  limit: pageFields.limit,
  cursor: z
    .string()
    .regex(VERSION, 'must be nextCursor of a page')
    .transform(Number)
    .optional()
    .meta({ type: 'string', pattern: VERSION.source, description: 'nextCursor of the previous page', example: '7' }),
});

const { version, schemaVersion, currentStatus, standardFields } = metadataReplySchema.shape;

const metadataVersionSchema = z
  .object({
    version: version.meta({ description: 'From 1' }),
    schemaVersion,
    currentStatus,
    standardFields,
    replacedAt: instantField.meta({ description: 'When the next version replaced it, UTC' }),
    replacedBy: z.enum(['key', 'global']).nullable().meta({
      description: 'Who replaced it: a key of the account, or a global API key; null: unknown',
      example: 'key',
    }),
    replacedByKeyId: recordIdField
      .nullable()
      .meta({ description: 'The key of the account that was used; otherwise null' }),
  })
  .meta({ id: 'MetadataVersion' });

type MetadataVersionReply = z.output<typeof metadataVersionSchema>;

export const versionsSchema = z.object({
  items: z.array(metadataVersionSchema).meta({ description: 'The versions of this page' }),
  nextCursor: z
    .string()
    .nullable()
    .meta({ description: '`cursor` of the next page; null on the last page', example: '7' }),
});

/** A page of a document's earlier versions, newest first. @throws {DomainError} as {@link getMetadata}. */
export async function listVersions(
  services: TenantServices,
  id: string,
  { limit = PAGE_SIZE, cursor }: z.output<typeof versionsQuery>,
): Promise<Page<MetadataVersionReply>> {
  await getMetadata(services, id);
  const rows = await selectVersions(services.db, id, cursor, limit);
  const last = rows.at(-1)?.version ?? 1;
  return { items: rows.map(versionReply), nextCursor: last === 1 ? null : String(last) };
}

function versionReply({ replacedAt, replacedBy, replacedByKeyId, ...row }: MetadataVersion): MetadataVersionReply {
  return {
    version: row.version,
    schemaVersion: row.schemaVersion,
    currentStatus: row.currentStatus,
    standardFields: row.standardFields,
    replacedAt: replacedAt.toISOString(),
    replacedBy: replacedBy === 'key' || replacedBy === 'global' ? replacedBy : null,
    replacedByKeyId,
  };
}
