import { z } from 'zod';
import { CHAINS, DEFAULT_CHAIN, DEFAULT_CHAINS } from '../../chains/list.ts';
import {
  chainIdReply,
  contractAddressReply,
  corporateIdReply,
  tokenIdReply,
  unitsReply,
} from '../../core/reply-fields.ts';
import { chainKindOf } from '../../accounts/chains-of-actor.ts';
import { DomainError } from '../../core/domain-error.ts';
import { addressField, textField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { findTokenContracts } from '../contracts/contracts.store.ts';
import { findServedDocuments } from '../metadata/token-documents.store.ts';
import { chainsToList } from './chains-to-list.ts';
import { indexedTokens } from './indexed-tokens.ts';
import { MAX_PAGE_TOKEN, tokensOfWallet } from './nft-index.ts';

/** The Wallet NFT item of the specification. */
const walletNftSchema = z
  .object({
    chain: z
      .enum(CHAINS.map(({ name }) => name))
      .meta({ description: 'Name of the chain', example: DEFAULT_CHAIN.name }),
    chainId: chainIdReply.meta({ example: DEFAULT_CHAIN.id }),
    contractAddress: contractAddressReply,
    tokenId: tokenIdReply,
    amount: unitsReply,
    tokenType: z.string().meta({ description: 'As the NFT index names the standard', example: 'ERC721' }),
    name: z.string().meta({ description: 'Name of the contract', example: 'Opening night' }),
    symbol: z.string().meta({ description: 'Symbol of the contract', example: 'TIX' }),
    tokenUrl: z
      .string()
      .meta({ description: 'Token URI; may be empty', example: 'https://nft.example.com/metadata/0x8ba1/1' }),
    imageUrl: z
      .string()
      .meta({ description: 'URL of the picture; may be empty', example: 'https://example.com/ticket.png' }),
    metadata: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        'The document that GET /metadata serves for the token; null if there is none, or if those before it on the page have 4 MB',
    }),
    corporateId: corporateIdReply.meta({ description: "The caller's own; empty for another account's contract" }),
  })
  .meta({ id: 'WalletNft' });

export type WalletNft = z.output<typeof walletNftSchema>;

export const walletNftsSchema = z
  .object({
    items: z.array(walletNftSchema).meta({ description: 'The NFTs of this page' }),
    nextPageToken: z
      .string()
      .nullable()
      .meta({ description: '`pageToken` of the next page; null on the last page', example: 'eyJvIjoxMDB9' }),
  })
  .meta({ id: 'WalletNfts' });

const definedNames = CHAINS.map(({ name }) => name);
const defaultNames = DEFAULT_CHAINS.map(({ name }) => name);

/** One or more names, repeated or comma-separated. `chainsToList` checks whether they are allowed. */
const chainNames = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((item) => item.split(',').map((name) => name.trim())))
  .pipe(z.array(z.enum(definedNames)))
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
 * Lists a page of a wallet's NFTs, according to the NFT index, of contracts that are registered and ACTIVE. The index's
 * pages are filtered here, so a page may be short or empty although more follow. Where no NFT index is configured, own
 * contracts are listed by the service's index of transfers.
 * @throws {DomainError} `service_unavailable` when none is configured for contracts of others; `upstream` when it
 *   fails; `invalid` when the page token is unknown or a chain is not allowed; `forbidden` for a chain that the key is
 *   not for.
 */
export async function listNfts(
  { db, account, actor, settings, log }: TenantServices,
  query: z.output<typeof listNftsQuery>,
): Promise<{ items: WalletNft[]; nextPageToken: string | null }> {
  const chains = chainsToList([...settings.chains.values()], query, chainKindOf(actor));
  if (chains.length === 0) return { items: [], nextPageToken: null };
  const { wallet, pageToken } = query;
  const indexUrl = settings.NFT_INDEX_URL;
  const isOwnOnly = query.corporateOnly === 'true';
  if (indexUrl === undefined && !isOwnOnly) {
    throw new DomainError(
      'service_unavailable',
      'This deployment has no NFT index: only tokens of own contracts can be listed, with corporateOnly=true',
    );
  }
  const page =
    indexUrl === undefined
      ? await indexedTokens(db, { wallet, chains, pageToken })
      : await tokensOfWallet(indexUrl, { wallet, chains, pageToken }, log);

  const tokens = page.tokens.map((token) => ({ ...token, chainId: token.chain.id }));
  const [contracts, documents] = await Promise.all([
    findTokenContracts(db, tokens, isOwnOnly ? 'own' : 'all'),
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
