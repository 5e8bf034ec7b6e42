import type { components } from '../shared/api-types.ts';
import { readConfirmation, requireProof, type Confirmation } from '../shared/visitors/confirm-issuer.ts';
import type { Chain, Settings } from '../shared/visitors/settings.ts';
import { isRecord } from '../shared/is-record.ts';

type Schemas = components['schemas'];

/** Which collection. */
export interface Place {
  /** Decimal. */
  readonly chainId: string;
  /** In lower case. */
  readonly contractAddress: string;
}

/** The collection that a path names; undefined if it names none. */
export function placeOf(path: string): Place | undefined {
  const [, chainId, contractAddress] = /^\/collection\/([1-9]\d{0,15})\/(0x[0-9a-f]{40})$/i.exec(path) ?? [];
  if (chainId === undefined || contractAddress === undefined) return undefined;
  return { chainId, contractAddress: contractAddress.toLowerCase() };
}

export interface Collection {
  readonly facts: Schemas['CollectionFacts'];
  /** Its texts and URLs are whatever the account has written. */
  readonly document: Schemas['Collection'];
}

/** @returns undefined if there is no such collection. @throws what `fetch` throws, or an error with the status. */
export async function readCollection(
  { chainId, contractAddress }: Place,
  { origin }: Settings,
): Promise<Collection | undefined> {
  const [facts, document] = await Promise.all([
    readJson<Schemas['CollectionFacts']>(`${origin}/collections/${chainId}/${contractAddress}`),
    readJson<Schemas['Collection']>(`${origin}/metadata/${contractAddress}`),
  ]);
  return facts === undefined || document === undefined ? undefined : { facts, document };
}

/** Who issues a collection: whose wallet owns the contract. */
export type Issuer =
  | { readonly type: 'confirmed'; readonly confirmation: Confirmation }
  /** `unproven`: the domain that the operator names, and that does not prove it. */
  | { readonly type: 'unknown'; readonly unproven?: string };

export async function readIssuer(
  { contractAddress }: Place,
  wallet: string,
  { chain, settings }: { readonly chain: Chain; readonly settings: Settings },
): Promise<Issuer> {
  const confirmation = await readConfirmation(chain, { contractAddress }, wallet, settings).catch(() => undefined);
  if (confirmation === undefined) return { type: 'unknown' };
  try {
    await requireProof(confirmation.domain, chain, wallet);
    return { type: 'confirmed', confirmation };
  } catch {
    return { type: 'unknown', unproven: confirmation.domain };
  }
}

/** A token as its public document shows it. */
export interface Token {
  /** Decimal. */
  readonly id: string;
  /** Empty if the document cannot be read. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** A page of tokens, most recently minted first, without those that were burned. @throws as {@link readCollection}. */
export async function readTokens(
  { chainId, contractAddress }: Place,
  before: string | undefined,
  { origin }: Settings,
): Promise<{ readonly tokens: readonly Token[]; readonly nextBefore: string | null }> {
  const query = before === undefined ? '' : `?before=${before}`;
  const page = await readJson<Schemas['CollectionTokens']>(
    `${origin}/collections/${chainId}/${contractAddress}/tokens${query}`,
  );
  const { tokenIds, nextBefore } = page ?? { tokenIds: [], nextBefore: null };
  const tokens = await Promise.all(
    tokenIds.map(async (id): Promise<Token | undefined> => {
      try {
        const document = await readJson<unknown>(`${origin}/metadata/${contractAddress}/${id}`);
        return document === undefined ? undefined : { id, document: isRecord(document) ? document : {} };
      } catch {
        return { id, document: {} };
      }
    }),
  );
  return { tokens: tokens.filter((token) => token !== undefined), nextBefore };
}

/** Reads a reply of this service; undefined for 404. */
async function readJson<Reply>(url: string): Promise<Reply | undefined> {
  const reply = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' });
  if (reply.status === 404) return undefined;
  if (!reply.ok) throw new Error(`Status ${reply.status}`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own reply
  return (await reply.json()) as Reply;
}
