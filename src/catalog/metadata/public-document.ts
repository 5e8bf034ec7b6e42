import { zeroAddress, type Address } from 'viem';
import { ExpiringMap } from '../../core/bounded-map.ts';
import type { SystemDb, TenantDb } from '../../platform/database/client.ts';
import type { Services } from '../../services.ts';
import { singleFlight } from '../../core/single-flight.ts';
import type { Chain } from '../../chains/client.ts';
import { readContract, withChainErrors, type ContractRead } from '../../chains/contract-reads.ts';
import type { EpochMs } from '../../core/epoch-ms.ts';
import { holderView, supplyView } from '../contracts/views.ts';
import { within } from '../../core/within.ts';
import { changeMark, dropChanged, findCached, publicUrl, putCached, putUnlessChanged } from './document-cache.ts';
import {
  forgetUnknownContract,
  isUnknownContract,
  rememberContract,
  requireLookup,
  type LookupSubject,
} from './known-contracts.ts';
import { IMMUTABLE, cachedBriefly, documentIn, publicForm, replyOf, type PublicDocument } from './public-form.ts';
import {
  findLinkedDocuments,
  findOutdated,
  findVersions,
  type LinkedDocument,
  type MintedDocument,
  type NewlyLinked,
  type Token,
} from './token-documents.store.ts';

/** Services with either database: public documents are not scoped to an account. */
type AnyServices = Omit<Services, 'db'> & { readonly db: SystemDb | TenantDb };

/**
 * How long a document is cached if it is not known whether anything of its token is left: long enough that few readers
 * wait for a chain that does not answer.
 */
const UNCERTAIN_SECONDS = 5;

const CAPACITY = 10_000;

/** Why a token has no document: no confirmed mint has linked one, or nothing of the token is left. */
type Absence = 'unknown' | 'gone';

/**
 * Tokens without a document and without an unfinished order. Cached for less time than any mint takes, so that the
 * cache never hides a mint.
 */
const absentTokens = new ExpiringMap<Absence>(50, CAPACITY);

/** Concurrent reads of the same uncached token share one database read, which began at `readAt`. */
const readOnce = singleFlight(async (url, services: AnyServices, token: Token) => {
  const readAt = services.clock.now();
  const document: PublicDocument | Absence = (await readDocuments(services, [token])).get(url) ?? 'unknown';
  return { document, readAt };
});

/**
 * A token's document, from the data center's cache or else from the database, after which it is cached.
 *
 * That a token has no document is cached too, so that repeated requests for it are cheap, but never so that it hides a
 * mint: the document cache, which a settled mint fills, is checked first, tokens with an unfinished order are not
 * cached, and entries expire faster than a mint takes. An address that is not a registered contract is cached for a
 * second.
 * @param allowLookup Called before the database is queried; throws when the caller is over its limit.
 */
export async function publicDocument(
  services: AnyServices,
  token: Token,
  allowLookup: (subject: LookupSubject) => Promise<void>,
): Promise<PublicDocument | Absence> {
  const url = publicUrl(services.settings, token);
  const now = services.clock.now();
  const cached = await findCached(url, now);
  if (cached !== undefined) return await documentIn(cached);
  const absence = absentTokens.get(url, now) ?? (isUnknownContract(token.contractAddress, now) ? 'unknown' : undefined);
  if (absence !== undefined) return absence;
  await requireLookup(token.contractAddress, now, allowLookup);
  const { document, readAt } = await readOnce(url, services, token);
  if (typeof document === 'string' || readAt >= now) return document;
  // Read for an earlier request, so that it has an Age (RFC 9111, section 5.1).
  const age = Math.ceil((services.clock.now() - readAt) / 1_000);
  return { ...document, headers: { ...document.headers, age: String(age) } };
}

/**
 * Updates this data center's cache after a change to the tokens' documents has been committed. Reads that start after
 * this get the new documents.
 */
export async function refreshDocuments(services: AnyServices, tokens: readonly Token[]): Promise<void> {
  await dropDocuments(services, tokens);
  // Not shared with running reads, which may have started before the change.
  await readDocuments(services, tokens);
}

/** Drops the tokens' documents from this data center's cache: the next read of each gets it from the database. */
export async function dropDocuments(services: AnyServices, tokens: readonly Token[]): Promise<void> {
  await Promise.all(
    tokens.map(async (token) => {
      const url = publicUrl(services.settings, token);
      forgetUnknown(url, token);
      await dropChanged(url);
    }),
  );
}

/**
 * Caches documents that have been linked to tokens that had none before. Each takes one write: nothing else writes its
 * entry but readers of the same document, and the rare change or burn that overlaps with the write, or came before it
 * because it was postponed, is found afterwards, by one query for all tokens.
 */
export async function cacheLinkedDocuments(services: AnyServices, linked: readonly NewlyLinked[]): Promise<void> {
  const { first } = byLink(services, linked);
  if (first === undefined) return;
  const readAt = services.clock.now();
  const versions = await findVersions(services.db, first);
  await Promise.all(
    versions.map(async (version) => {
      const url = publicUrl(services.settings, version);
      forgetUnknown(url, version);
      await putCached(url, replyOf(formOf(services, version)), readAt);
    }),
  );
  const changeable = versions.filter(({ isCertificate }) => !isCertificate);
  const outdated = changeable.length === 0 ? new Set() : await findOutdated(services.db, changeable);
  const stale = first.filter(({ id }) => outdated.has(id));
  if (stale.length > 0) await refreshDocuments(services, stale);
}

/** Replaces the cached documents of tokens that had another one before. */
export async function refreshRelinked(services: AnyServices, linked: readonly NewlyLinked[]): Promise<void> {
  const { relinked } = byLink(services, linked);
  if (relinked !== undefined) await refreshDocuments(services, relinked);
}

/** Whether each token had no document before; one that gets two at once has had one when it gets the second. */
function byLink({ settings }: AnyServices, linked: readonly NewlyLinked[]) {
  const byUrl = Map.groupBy(linked, (token) => publicUrl(settings, token));
  const isOnly = (token: NewlyLinked) => byUrl.get(publicUrl(settings, token))?.length === 1;
  return Object.groupBy(linked, (token) => (token.isFirst && isOnly(token) ? 'first' : 'relinked'));
}

/**
 * Reads documents from the database and caches them. Returned by URL.
 *
 * If no change has been marked between a read and its write, the refresh of any later change overwrites this document.
 * Otherwise the reader deletes what it cached and reads again.
 */
async function readDocuments(
  services: AnyServices,
  tokens: readonly Token[],
): Promise<Map<string, PublicDocument | 'gone'>> {
  const documents = new Map<string, PublicDocument | 'gone'>();
  let pending = tokens;
  while (pending.length > 0) {
    const urls = pending.map((token) => publicUrl(services.settings, token));
    const marks = new Map(await Promise.all(urls.map(async (url) => [url, await changeMark(url)] as const)));
    const startedAt = services.clock.now();
    const found = await findLinkedDocuments(services.db, pending, services.settings.ALLOWED_CHAIN_IDS);
    const { linked } = found;
    const beingMinted = new Set(found.beingMinted.map((token) => publicUrl(services.settings, token)));
    cacheUnknown(services, pending, found, startedAt);

    const areCurrent = await Promise.all(
      linked.map(async (token) => {
        const url = publicUrl(services.settings, token);
        const gone = await isGone(services, token);
        if (gone === true) {
          documents.set(url, 'gone');
          if (!beingMinted.has(url)) absentTokens.set(url, 'gone', services.clock.now());
          return true;
        }
        const document = formOf(services, token, gone === undefined ? UNCERTAIN_SECONDS : undefined);
        documents.set(url, document);
        return await putUnlessChanged(url, replyOf(document), startedAt, marks.get(url));
      }),
    );
    pending = linked.filter((_, index) => areCurrent[index] === false);
  }
  return documents;
}

/** Drops what this instance has cached about a token without a document. */
function forgetUnknown(url: string, { contractAddress }: Token): void {
  absentTokens.delete(url);
  forgetUnknownContract(contractAddress);
}

/** Caches which tokens and contracts are unknown. @param startedAt When the lookup started. */
function cacheUnknown(
  services: AnyServices,
  requested: readonly Token[],
  { linked, beingMinted, known }: Awaited<ReturnType<typeof findLinkedDocuments>>,
  startedAt: EpochMs,
): void {
  const urls = new Set([...linked, ...beingMinted].map((token) => publicUrl(services.settings, token)));
  const contracts = new Set(known.map(({ contractAddress }) => contractAddress));
  for (const token of requested) {
    const url = publicUrl(services.settings, token);
    if (!urls.has(url)) absentTokens.set(url, 'unknown', services.clock.now());
    rememberContract(token.contractAddress, contracts.has(token.contractAddress), startedAt);
  }
}

/** @param maxSeconds The longest that a document which can change is cached. */
function formOf({ settings }: AnyServices, { document, isCertificate }: LinkedDocument, maxSeconds?: number) {
  return publicForm(document, isCertificate ? IMMUTABLE : cachedBriefly(settings, maxSeconds));
}

/** How long a reader waits for the chain, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Whether nothing of a token is left, whoever burned it. Of an ERC-721 token the contract says so, and of an ERC-1155
 * token too if it counts the units (`totalSupply`); the other contracts do not know, so there the orders decide. A
 * certificate's document is never gone: who checks the certificate needs it.
 * @returns undefined if it is not known: no node answers in time, or only one that lacks the last burn order, or that
 *   has no such token and may lack its mint.
 */
async function isGone(services: Pick<Services, 'chains' | 'log'>, token: MintedDocument): Promise<boolean | undefined> {
  const chain = services.chains.get(token.chainId);
  if (token.isCertificate || token.ercStandard === null || chain === undefined) return false;
  const { chainId, contractAddress, tokenId } = token;
  const answer = readFrom(chain, token).catch((error: unknown) => {
    services.log.warn('metadata.chain_not_read', { chainId, contractAddress, tokenId, error });
    return undefined;
  });
  return (await within(PATIENCE_MS, answer))?.result;
}

async function readFrom(
  { client }: Chain,
  { contractAddress, tokenId, ercStandard, isUsedUp, linkedAt, burnedAtBlock }: MintedDocument,
): Promise<boolean | undefined> {
  const view = ercStandard === '721' ? holderView : supplyView;
  const [block, left] = await Promise.all([
    // First in the batch, so that nothing that is read after it is from an older block.
    withChainErrors(() => client.getBlock({ blockTag: 'latest' })),
    readContract<Address | bigint>(client, view(contractAddress, BigInt(tokenId))),
  ]);
  if (burnedAtBlock !== null && block.number < BigInt(burnedAtBlock)) return undefined;
  if (!isNothing(ercStandard, left, isUsedUp)) return false;
  // Blocks have times in whole seconds.
  return block.timestamp < BigInt(Math.floor(linkedAt.getTime() / 1_000)) ? undefined : true;
}

function isNothing(
  ercStandard: MintedDocument['ercStandard'],
  left: ContractRead<Address | bigint>,
  isUsedUp: boolean,
): boolean {
  // Some contracts return the zero address for what ERC-721 has them revert for.
  if (ercStandard === '721') return 'reverted' in left ? left.isRevert : left.value === zeroAddress;
  return 'value' in left ? left.value === 0n : isUsedUp;
}
