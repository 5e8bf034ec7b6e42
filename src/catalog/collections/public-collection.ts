import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { singleFlight } from '../../core/single-flight.ts';
import type { CollectionDocument } from '../../platform/database/schema.ts';
import type { Services } from '../../services.ts';
import { changeMark, collectionUrl, findCached, putUnlessChanged } from '../metadata/document-cache.ts';
import { isUnknownContract, rememberContract, requireLookup, type LookupSubject } from '../metadata/known-contracts.ts';
import { cachedBriefly, documentIn, publicForm, replyOf, type PublicDocument } from '../metadata/public-form.ts';
import { findCollection, type Collection } from './collections.store.ts';

/**
 * Concurrent reads of the same uncached collection share one database read, and another if it has changed meanwhile.
 */
const readOnce = singleFlight(async (url, services: Services, contractAddress: LowerCaseAddress) => {
  const { db, clock, settings } = services;
  for (;;) {
    const mark = await changeMark(url);
    const readAt = clock.now();
    const collection = await findCollection(db, contractAddress, settings.ALLOWED_CHAIN_IDS);
    rememberContract(contractAddress, collection !== undefined, readAt);
    const content = collection && documentOf(collection);
    if (content === undefined) return undefined;
    const document = publicForm(content, cachedBriefly(settings));
    if (await putUnlessChanged(url, replyOf(document), readAt, mark)) return document;
  }
});

/**
 * The document of a collection (ERC-7572), from the data center's cache or else from the database, after which it is
 * cached.
 * @param allowLookup Called before the database is queried; throws when the caller is over its limit.
 * @returns undefined if there is none.
 */
export async function publicCollection(
  services: Services,
  contractAddress: LowerCaseAddress,
  allowLookup: (subject: LookupSubject) => Promise<void>,
): Promise<PublicDocument | undefined> {
  const url = collectionUrl(services.settings, contractAddress);
  const now = services.clock.now();
  const cached = await findCached(url, now);
  if (cached !== undefined) return await documentIn(cached);
  if (isUnknownContract(contractAddress, now)) return undefined;
  await requireLookup(contractAddress, now, allowLookup);
  return await readOnce(url, services, contractAddress);
}

/**
 * What the public is told of a collection: what the account has set; until then, of a contract that this service has
 * deployed, what the contract itself says. The contracts of others may have their document elsewhere.
 */
export function documentOf({ contract, document }: Collection): CollectionDocument | undefined {
  if (document !== null) return document;
  const { name, symbol, registeredAtBlock } = contract;
  if (name === null || registeredAtBlock !== null) return undefined;
  return symbol === null ? { name } : { name, symbol };
}
