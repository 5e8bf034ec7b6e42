import { sha256 } from 'viem';
import { createBriefMemory } from '../../core/brief-memory.ts';
import type { SystemDb, TenantDb } from '../../platform/database/client.ts';
import type { Services } from '../../services.ts';
import { singleFlight } from '../../core/single-flight.ts';
import { canonicalJson } from './canonical-json.ts';
import { findBoundDocuments } from './metadata.store.ts';
import type { BoundDocument, Token } from './metadata.store.ts';

/** What a reader of a token's metadata gets, ready to be sent. */
export interface PublicDocument {
  /** Canonical JSON: of a certificate, the very bytes that its hash is over. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Public documents belong to no account: whoever has the database, for all or for one account, can read them. */
type Reader = Omit<Services, 'db'> & { readonly db: SystemDb | TenantDb };

const ONE_YEAR_SECONDS = 31_536_000;
/** Longer than any read of the database that is still to be answered. */
const CHANGE_MARK_SECONDS = 600;

const CAPACITY = 10_000;

/**
 * Tokens without a document and without an order. Held for less time than any mint takes from its order to its end, so
 * that what is remembered never hides one.
 */
const unknownTokens = createBriefMemory<true>(50, CAPACITY);
/** Addresses of no registered contract, by which no token is looked for. */
const unknownContracts = createBriefMemory<true>(1_000, CAPACITY);
const knownContracts = createBriefMemory<true>(600_000, CAPACITY);
/** Addresses whose first look is under way: a burst of reads of a new collection counts as one look for its contract. */
const contractsInQuestion = createBriefMemory<true>(1_000, CAPACITY);

/**
 * What a look into the database is for: a token of a contract that is known to be registered, or of any other address.
 * Whoever makes addresses up is to be stopped sooner than who reads a collection.
 */
export type LookSubject = 'document' | 'contract';

/** Reads of the same uncached token that overlap share one look into the database. */
const readOnce = singleFlight(async (url, services: Reader, token: Token) =>
  (await readDocuments(services, [token])).get(url),
);

/**
 * The document of a token: from the data center's cache, or else from the database and then kept in that cache.
 *
 * A token without a document is remembered as such, so that who asks for it all the time costs little: only behind the
 * cache, which the end of a mint fills, only while no order for it is on its way, and for less time than a mint takes.
 * So a mint that follows is never hidden. An address that is no contract's is remembered for a second.
 * @param allowLook Called before the database is asked; throws where the caller may not ask for more.
 * @returns undefined when no confirmed mint has bound a document to the token.
 */
export async function publicDocument(
  services: Reader,
  token: Token,
  allowLook: (subject: LookSubject) => Promise<void>,
): Promise<PublicDocument | undefined> {
  const url = publicUrl(services, token);
  const cached = await caches.default.match(url);
  if (cached !== undefined) return { body: await cached.text(), headers: keptHeaders(cached) };
  const now = services.clock.now();
  if (unknownTokens.get(url, now) ?? unknownContracts.get(token.contractAddress, now)) return undefined;
  await allowed(token, now, allowLook);
  return await readOnce(url, services, token);
}

async function allowed(
  { contractAddress }: Token,
  now: number,
  allowLook: (subject: LookSubject) => Promise<void>,
): Promise<void> {
  if (knownContracts.get(contractAddress, now) ?? contractsInQuestion.get(contractAddress, now)) {
    return await allowLook('document');
  }
  contractsInQuestion.set(contractAddress, true, now);
  try {
    await allowLook('contract');
  } catch (error) {
    contractsInQuestion.delete(contractAddress);
    throw error;
  }
}

/**
 * Brings this data center's cache up to date with the database, after a change of the tokens' documents has been committed:
 * whoever reads from here on gets what is new.
 */
export async function refreshDocuments(services: Reader, tokens: readonly Token[]): Promise<void> {
  await Promise.all(
    tokens.map(async (token) => {
      const url = publicUrl(services, token);
      unknownTokens.delete(url);
      unknownContracts.delete(token.contractAddress);
      await markChange(url);
      await caches.default.delete(url);
    }),
  );
  // Not shared with reads that are under way: they may have begun before the change.
  await readDocuments(services, tokens);
}

/** Where a token's document is served, and its one key in the cache, whatever spelling it was asked for by. */
export function publicUrl({ settings }: Pick<Services, 'settings'>, { contractAddress, tokenId }: Token): string {
  const base = settings.METADATA_BASE_URI ?? 'https://metadata.internal';
  return `${base.replace(/\/+$/, '')}/${contractAddress}/${tokenId}`;
}

/**
 * Reads documents from the database and puts them into the cache, by their URL.
 *
 * The cache keeps whatever is put last, and a slow reader could put what was changed after it read. So each change leaves
 * a mark before it refreshes the cache, and a reader looks at the mark before its read and after its put. If it is the
 * same, no refresh began in between: a change that makes this document old puts its own over it later. If it is another,
 * the reader takes its document away and reads again.
 */
async function readDocuments(services: Reader, tokens: readonly Token[]): Promise<Map<string, PublicDocument>> {
  const documents = new Map<string, PublicDocument>();
  let pending = tokens;
  while (pending.length > 0) {
    const urls = pending.map((token) => publicUrl(services, token));
    const marks = new Map(await Promise.all(urls.map(async (url) => [url, await changeMark(url)] as const)));
    const begunAt = services.clock.now();
    const found = await findBoundDocuments(services.db, pending, services.settings.ALLOWED_CHAIN_IDS);
    const { bound } = found;
    rememberUnknown(services, pending, found, begunAt);

    const areCurrent = await Promise.all(
      bound.map((one) => {
        const url = publicUrl(services, one);
        const document = publicForm(services, one);
        documents.set(url, document);
        return keepUnlessChanged(url, document, marks.get(url));
      }),
    );
    pending = bound.filter((_, index) => areCurrent[index] === false);
  }
  return documents;
}

/** @param begunAt When the look began that found these. */
function rememberUnknown(
  services: Reader,
  asked: readonly Token[],
  { bound, beingMinted, known }: Awaited<ReturnType<typeof findBoundDocuments>>,
  begunAt: number,
): void {
  const urls = new Set([...bound, ...beingMinted].map((token) => publicUrl(services, token)));
  const contracts = new Set(known.map(({ contractAddress }) => contractAddress));
  for (const token of asked) {
    const url = publicUrl(services, token);
    if (!urls.has(url)) unknownTokens.set(url, true, services.clock.now());
    const memory = contracts.has(token.contractAddress) ? knownContracts : unknownContracts;
    memory.set(token.contractAddress, true, begunAt);
  }
}

/** @returns whether the document could be kept: no change was marked since `mark` was read. */
async function keepUnlessChanged(url: string, document: PublicDocument, mark: string | undefined): Promise<boolean> {
  await caches.default.put(url, new Response(document.body, { headers: document.headers }));
  if ((await changeMark(url)) === mark) return true;
  await caches.default.delete(url);
  return false;
}

function publicForm({ settings }: Reader, { document, contractType }: BoundDocument): PublicDocument {
  const body = canonicalJson(document);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      // A certificate contract holds each token to its document for ever. Any other document can change: clients ask for
      // it again, and shared caches keep it for a time.
      'cache-control':
        contractType === 'certificate'
          ? `public, max-age=${ONE_YEAR_SECONDS}, immutable`
          : `public, max-age=0, s-maxage=${settings.METADATA_CACHE_SECONDS}`,
      etag: `"${sha256(new TextEncoder().encode(body)).slice(2, 34)}"`,
    },
  };
}

/** The URL under which the cache has the mark of a document's last change. Nobody is served from there. */
function markUrl(url: string): string {
  return `${url}?changed`;
}

async function markChange(url: string): Promise<void> {
  const headers = { 'cache-control': `max-age=${CHANGE_MARK_SECONDS}` };
  await caches.default.put(markUrl(url), new Response(crypto.randomUUID(), { headers }));
}

/** @returns undefined when nothing was changed here for some time. */
async function changeMark(url: string): Promise<string | undefined> {
  return await (await caches.default.match(markUrl(url)))?.text();
}

function keptHeaders(cached: Response): Record<string, string> {
  return Object.fromEntries(
    ['content-type', 'cache-control', 'etag'].flatMap((name) => {
      const value = cached.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
