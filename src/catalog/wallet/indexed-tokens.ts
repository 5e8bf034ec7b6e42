import { invalidInput } from '../../core/domain-error.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { RECORD_ID } from '../../core/record-id.ts';
import { listTokensOfWallet } from '../../holdings/holdings.store.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import type { IndexedToken, IndexQuery } from './nft-index.ts';

const PAGE_SIZE = 50;
/** Above every id. */
const ALL = 'g';

/**
 * A page of the tokens that a wallet holds of the account's own contracts, by the index of their transfers, in the form
 * of the NFT index.
 * @throws {DomainError} `invalid` if the page token is none of this listing.
 */
export async function indexedTokens(
  db: TenantDb,
  { wallet, chains, pageToken }: IndexQuery,
): Promise<{ tokens: IndexedToken[]; nextPageToken: string | null }> {
  if (pageToken !== '' && !RECORD_ID.test(pageToken)) {
    throw invalidInput([{ path: 'pageToken', message: 'is not the nextPageToken of this listing' }]);
  }
  const before = pageToken === '' ? ALL : pageToken;
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const rows = await listTokensOfWallet(db, lowerCase(wallet), [...byId.keys()], { before, limit: PAGE_SIZE + 1 });
  const shown = rows.slice(0, PAGE_SIZE);
  const tokens = shown.flatMap(({ chainId, contractAddress, tokenId, amount }) => {
    const chain = byId.get(chainId);
    const unknown = { name: '', symbol: '', tokenUrl: '', imageUrl: '' };
    return chain === undefined ? [] : [{ chain, contractAddress, tokenId, amount, ...unknown }];
  });
  return { tokens, nextPageToken: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null };
}
