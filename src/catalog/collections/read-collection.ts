import { notFound } from '../../core/domain-error.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { Services } from '../../services.ts';
import { hasPublishedCode } from '../contracts/creation-call.ts';
import { isUnknownContract, rememberContract, requireLookup, type LookupSubject } from '../metadata/known-contracts.ts';
import { countTokens, findCollection, listTokens, type Collection } from './collections.store.ts';
import { documentOf } from './public-collection.ts';

/** More tokens of a collection than this are not counted. */
export const MAX_COUNTED = 10_000;
/** The tokens on a page. */
const PAGE_SIZE = 12;

export interface CollectionPlace {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
}

type AllowLookup = (subject: LookupSubject) => Promise<void>;

/**
 * What the public may know of a collection beside its document.
 * @param allowLookup Called before the database is queried; throws when the caller is over its limit.
 * @throws {DomainError} `not-found` if there is no such collection with a document.
 */
export async function readCollection(services: Services, place: CollectionPlace, allowLookup: AllowLookup) {
  const collection = await requireCollection(services, place, allowLookup);
  const { ercStandard, contractType, currentOwnerAddress } = collection.contract;
  const tokens = await countTokens(services.db, place, MAX_COUNTED);
  return {
    ...place,
    ercStandard,
    contractType,
    ownerAddress: currentOwnerAddress,
    hasPublishedCode: hasPublishedCode(collection),
    tokenCount: Math.min(tokens, MAX_COUNTED),
    hasMoreTokens: tokens > MAX_COUNTED,
  };
}

/**
 * A page of a collection's tokens, those that were minted last first.
 * @param before Only tokens that were minted before this one; undefined: the first page.
 * @throws {DomainError} as {@link readCollection}.
 */
export async function readCollectionTokens(
  services: Services,
  place: CollectionPlace,
  { before, allowLookup }: { readonly before: string | undefined; readonly allowLookup: AllowLookup },
): Promise<{ readonly tokenIds: readonly string[]; readonly nextBefore: string | null }> {
  await requireCollection(services, place, allowLookup);
  const found = await listTokens(services.db, place, { before, limit: PAGE_SIZE + 1 });
  const tokenIds = found.slice(0, PAGE_SIZE);
  return { tokenIds, nextBefore: found.length > PAGE_SIZE ? (tokenIds.at(-1) ?? null) : null };
}

async function requireCollection(
  { db, clock }: Services,
  { chainId, contractAddress }: CollectionPlace,
  allowLookup: AllowLookup,
): Promise<Collection> {
  const now = clock.now();
  if (isUnknownContract(contractAddress, now)) throw notFound('Collection');
  await requireLookup(contractAddress, now, allowLookup);
  const collection = await findCollection(db, contractAddress, [chainId]);
  if (collection === undefined || documentOf(collection) === undefined) throw notFound('Collection');
  rememberContract(contractAddress, true, now);
  return collection;
}
