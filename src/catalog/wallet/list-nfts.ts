import { z } from 'zod';
import { chainKindOf } from '../../accounts/chains-of-actor.ts';
import { CHAINS, DEFAULT_CHAINS } from '../../chains/list.ts';
import { DomainError } from '../../core/domain-error.ts';
import { addressField, textField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { findTokenContracts } from '../contracts/contracts.store.ts';
import { findServedDocuments } from '../metadata/metadata.store.ts';
import { chainsToList } from './chains-to-list.ts';
import { MAX_PAGE_TOKEN, tokensOfWallet } from './nft-index.ts';
import type { WalletNft } from './nft-reply.ts';

const definedNames = CHAINS.map(({ name }) => name);
const defaultNames = DEFAULT_CHAINS.map(({ name }) => name);

/** One or more names, repeated or comma-separated. `chainsToList` checks whether they are allowed. */
const chainNames = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((item) => item.split(',').map((name) => name.trim())))
  .pipe(z.array(z.enum(definedNames, 'must be the name of an allowed chain')))
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string', enum: definedNames },
    description: `One or more allowed chains; default ${defaultNames.join(' and ')}. \`blockchains[]\` is equivalent`,
    example: defaultNames,
  });

/** Specification, GET /api/wallet/nfts. */
export const listNftsQuery = z.object({
  wallet: addressField.meta({ description: 'Whose NFTs' }),
  blockchains: chainNames,
  'blockchains[]': chainNames,
  pageToken: textField(MAX_PAGE_TOKEN).default('').meta({
    description: 'nextPageToken of the previous page',
    example: 'eyJvIjoxMDB9',
  }),
  corporateOnly: z
    .enum(['true', 'false'])
    .default('true')
    .meta({ description: "true: tokens of the account's own contracts only; false: of all registered ones" }),
});

/**
 * Lists a page of a wallet's NFTs, according to the NFT index, of contracts that are registered and ACTIVE. The index's pages
 * are filtered here, so a page may be short or empty although more follow.
 * @throws {DomainError} `upstream` when no index is configured or it fails; `invalid` when the page token is unknown or a
 *   chain is not allowed; `forbidden` for a chain that the key is not for.
 */
export async function listNfts(
  { db, account, actor, settings, log }: TenantServices,
  query: z.output<typeof listNftsQuery>,
): Promise<{ items: WalletNft[]; nextPageToken: string | null }> {
  const indexUrl = settings.NFT_INDEX_URL;
  if (indexUrl === undefined) throw new DomainError('upstream', 'No NFT index is configured');
  const chains = chainsToList([...settings.chains.values()], query, chainKindOf(actor));
  if (chains.length === 0) return { items: [], nextPageToken: null };
  const page = await tokensOfWallet(indexUrl, { wallet: query.wallet, chains, pageToken: query.pageToken }, log);

  const tokens = page.tokens.map((token) => ({ ...token, chainId: token.chain.id }));
  const [contracts, documents] = await Promise.all([
    findTokenContracts(db, tokens, query.corporateOnly === 'true' ? 'own' : 'all'),
    findServedDocuments(db, tokens),
  ]);
  const items = tokens.flatMap((token, index) => {
    const contract = contracts.find(
      ({ chainId, contractAddress }) => chainId === token.chainId && contractAddress === token.contractAddress,
    );
    if (contract === undefined) return [];
    const document = documents.get(index);
    return [
      {
        chain: token.chain.name,
        chainId: token.chainId,
        contractAddress: token.contractAddress,
        tokenId: token.tokenId,
        amount: token.amount,
        tokenType: `ERC${contract.ercStandard}`,
        // The index may not have read a new token's document yet.
        name: token.name || document?.name || (contract.name ?? ''),
        symbol: token.symbol || (contract.symbol ?? ''),
        tokenUrl: token.tokenUrl,
        imageUrl: token.imageUrl || (document?.image ?? ''),
        metadata: document === undefined ? null : { ...document },
        corporateId: contract.isOwn ? account.corporateId : '',
      },
    ];
  });
  return { items, nextPageToken: page.nextPageToken };
}
