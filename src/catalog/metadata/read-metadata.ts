import { z } from 'zod';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { chainIdField, contractAddressField, instantField, recordIdField } from '../../core/fields.ts';
import { pageFields, pageOf, pageRange, type Page } from '../../core/paging.ts';
import {
  findMetadata,
  listMetadata as selectMetadata,
  findWithVersions,
  type Metadata,
  type MetadataVersion,
} from './metadata.store.ts';
import { metadataReply, metadataReplySchema } from './metadata-reply.ts';

/**
 * Reads a metadata document of the account.
 * @throws {DomainError} `not-found` when it has none with this id; `forbidden` when the key is not for its chain.
 */
export async function getMetadata(services: TenantServices, id: string): Promise<Metadata> {
  return foundMetadata(services, await findMetadata(services.db, id));
}

/** @param found The result of {@link findMetadata}. @throws {DomainError} as {@link getMetadata}. */
export function foundMetadata({ actor }: TenantServices, [metadata]: readonly Metadata[]): Metadata {
  if (metadata === undefined) throw notFound('Metadata');
  requireChainOf(actor, metadata.chainId);
  return metadata;
}

export const metadataListQuery = z.object({
  ...pageFields,
  chainId: chainIdField.optional().meta({ description: 'Only intended for this chain' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only linked to this contract' }),
});

/**
 * A page of the account's metadata documents, newest first.
 * @throws {DomainError} `forbidden` for a chain that the key is not for.
 */
export async function listMetadata(
  { db, actor }: TenantServices,
  query: z.output<typeof metadataListQuery>,
): Promise<Page<z.output<typeof metadataReplySchema>>> {
  if (query.chainId !== undefined) requireChainOf(actor, query.chainId);
  const range = pageRange(query);
  const { rows, searchedTo } = await selectMetadata(db, query, range);
  return pageOf(rows, range, metadataReply, searchedTo);
}

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
  const { found, versions } = await findWithVersions(services.db, id, { before: cursor, limit });
  foundMetadata(services, found);
  const last = versions.at(-1)?.version ?? 1;
  return { items: versions.map(versionReply), nextCursor: last === 1 ? null : String(last) };
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
