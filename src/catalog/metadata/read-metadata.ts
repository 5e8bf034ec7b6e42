import { z } from 'zod';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { chainIdField, contractAddressField, instantField } from '../../core/fields.ts';
import { pageFields, pageOf, pageRange, type Page } from '../../core/paging.ts';
import {
  changerKeyReply,
  changerOf,
  changerReply,
  versionPage,
  versionPageSchema,
  versionRange,
  type versionsQuery,
} from '../../core/version-paging.ts';
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

const { version, schemaVersion, currentStatus, standardFields } = metadataReplySchema.shape;

const metadataVersionSchema = z
  .object({
    version: version.meta({ description: 'From 1' }),
    schemaVersion,
    currentStatus,
    standardFields,
    replacedAt: instantField.meta({ description: 'When the next version replaced it, UTC' }),
    replacedBy: changerReply('replaced'),
    replacedByKeyId: changerKeyReply,
  })
  .meta({ id: 'MetadataVersion' });

type MetadataVersionReply = z.output<typeof metadataVersionSchema>;

export const versionsSchema = versionPageSchema(metadataVersionSchema);

/** A page of a document's earlier versions, newest first. @throws {DomainError} as {@link getMetadata}. */
export async function listVersions(
  services: TenantServices,
  id: string,
  query: z.output<typeof versionsQuery>,
): Promise<Page<MetadataVersionReply>> {
  const { found, versions } = await findWithVersions(services.db, id, versionRange(query));
  foundMetadata(services, found);
  return versionPage(versions, versionReply);
}

function versionReply({ replacedAt, replacedBy, replacedByKeyId, ...row }: MetadataVersion): MetadataVersionReply {
  return {
    version: row.version,
    schemaVersion: row.schemaVersion,
    currentStatus: row.currentStatus,
    standardFields: row.standardFields,
    replacedAt: replacedAt.toISOString(),
    replacedBy: changerOf(replacedBy),
    replacedByKeyId,
  };
}
