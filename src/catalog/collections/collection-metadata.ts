import { waitUntil } from 'cloudflare:workers';
import { z } from 'zod';
import { DomainError } from '../../core/domain-error.ts';
import { instantField, recordIdField } from '../../core/fields.ts';
import type { Page } from '../../core/paging.ts';
import { addressReply } from '../../core/reply-fields.ts';
import {
  changerKeyReply,
  changerOf,
  changerReply,
  versionPage,
  versionPageSchema,
  versionRange,
  type versionsQuery,
} from '../../core/version-paging.ts';
import type { TenantServices } from '../../services.ts';
import { getContract } from '../contracts/read-contracts.ts';
import { collectionUrl, dropChanged } from '../metadata/document-cache.ts';
import { canonicalJson } from '../metadata/portable-json.ts';
import { purgeZone } from '../metadata/purge-zone.ts';
import { collectionContent, collectionDocument, collectionInput, type CollectionInput } from './collection-document.ts';
import { VERSIONS_PER_DAY, findVersions, insertVersion, type CollectionVersion } from './collections.store.ts';

const { name, symbol, description, imageUrl, bannerImageUrl, featuredImageUrl, externalUrl } = collectionInput.shape;
const nullable = (field: z.ZodOptional) => {
  const { description: text, example } = field.meta() ?? {};
  return z
    .string()
    .nullable()
    .meta({ description: `${text}; null for none`, example });
};

/** A version of what a contract says of its collection. */
export const collectionReplySchema = z
  .object({
    contractId: recordIdField.meta({ description: 'Id of the contract' }),
    version: z.int().meta({ description: 'From 1; raised by every change', example: 1 }),
    name: z.string().meta({ description: name.description, example: 'Opening nights' }),
    symbol: nullable(symbol),
    description: nullable(description),
    imageUrl: nullable(imageUrl),
    bannerImageUrl: nullable(bannerImageUrl),
    featuredImageUrl: nullable(featuredImageUrl),
    externalUrl: nullable(externalUrl),
    collaborators: z
      .array(addressReply)
      .meta({ description: 'Wallets that marketplaces may let edit how they show it' }),
    createdAt: instantField.meta({ description: 'When this version was made, UTC' }),
    createdBy: changerReply('made'),
    createdByKeyId: changerKeyReply,
  })
  .meta({ id: 'CollectionMetadata' });

export const collectionVersionsSchema = versionPageSchema(collectionReplySchema);

export type CollectionReply = z.output<typeof collectionReplySchema>;

function collectionReply({ contractId, version, document, ...made }: CollectionVersion): CollectionReply {
  return {
    contractId,
    version,
    ...collectionContent(document),
    createdAt: made.createdAt.toISOString(),
    createdBy: changerOf(made.createdBy),
    createdByKeyId: made.createdByKeyId,
  };
}

/**
 * What a contract of the account says of its collection.
 * @throws {DomainError} as {@link getContract}; `not-found` if it was never set.
 */
export async function getCollectionMetadata(services: TenantServices, contractId: string): Promise<CollectionReply> {
  await getContract(services, contractId);
  const current = await currentVersion(services, contractId);
  if (current === undefined) {
    throw new DomainError(
      'not-found',
      'The contract has no collection metadata yet: PUT /contracts/{id}/metadata sets it',
    );
  }
  return collectionReply(current);
}

/** A page of all versions of it, newest first. @throws {DomainError} as {@link getContract}. */
export async function listCollectionVersions(
  services: TenantServices,
  contractId: string,
  query: z.output<typeof versionsQuery>,
): Promise<Page<CollectionReply>> {
  await getContract(services, contractId);
  return versionPage(await findVersions(services.db, contractId, versionRange(query)), collectionReply);
}

async function currentVersion({ db }: TenantServices, contractId: string): Promise<CollectionVersion | undefined> {
  const [current] = await findVersions(db, contractId, { before: undefined, limit: 1 });
  return current;
}

/**
 * Replaces what a contract says of its collection, and updates the public document. The same content again changes
 * nothing.
 * @param version The version that it replaces; undefined: the request does not say.
 * @throws {DomainError} as {@link getContract}; `conflict` for a forwarder; `version-required` if there is a version
 *   already; `outdated` for another version than the current one; `rate-limited` when a day has had too many versions.
 */
export async function replaceCollectionMetadata(
  services: TenantServices,
  contractId: string,
  { version, input }: { readonly version: number | undefined; readonly input: CollectionInput },
): Promise<CollectionReply> {
  const { db, clock, newId } = services;
  const { contractAddress, ercStandard } = await getContract(services, contractId);
  if (ercStandard === 'Forwarder') throw new DomainError('conflict', 'Forwarders have no collection');
  const document = collectionDocument(input);
  const current = await currentVersion(services, contractId);
  if (current !== undefined && canonicalJson(current.document) === canonicalJson(document)) {
    return collectionReply(current);
  }
  requireVersion(current, version);
  const createdAt = new Date(clock.now());
  const values = { id: newId(), contractId, version: (current?.version ?? 0) + 1, document, createdAt };
  const tried = await insertVersion(db, values);
  if (!tried.isMade || tried.current === undefined) {
    requireVersion(tried.current, version);
    throw tooManyVersions(tried.nextAt ?? createdAt, createdAt);
  }
  if (contractAddress !== null) {
    const url = collectionUrl(services.settings, contractAddress);
    await dropChanged(url);
    waitUntil(purgeZone(services, url));
  }
  return collectionReply(tried.current);
}

function requireVersion(current: CollectionVersion | undefined, version: number | undefined): void {
  if (version === current?.version) return;
  const state = { version: current?.version ?? 0 };
  if (version === undefined) {
    throw new DomainError(
      'version_required',
      'If-Match must name the version you replace, as in the ETag of GET /contracts/{id}/metadata',
      undefined,
      { state },
    );
  }
  const has = current === undefined ? 'no version yet' : `version ${current.version}`;
  throw new DomainError('version_outdated', `The collection metadata has ${has}, not ${version}`, undefined, { state });
}

function tooManyVersions(next: Date, now: Date): DomainError {
  const message = `The metadata of a collection can change ${VERSIONS_PER_DAY} times within 24 hours`;
  const retryAfterSeconds = Math.max(1, Math.ceil((next.getTime() - now.getTime()) / 1_000));
  return new DomainError('rate_limited', message, undefined, { retryAfterSeconds });
}
