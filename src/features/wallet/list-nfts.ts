import { z } from 'zod';
import { DomainError } from '../../http/domain-error.ts';
import { addressField, textField } from '../../http/fields.ts';
import type { TenantServices } from '../../services.ts';
import { CHAIN_NAMES, WALLET_CHAINS } from './chain-names.ts';
import { tokensOfWallet } from './nft-index.ts';
import type { WalletNft } from './nft-reply.ts';
import { registeredTokens } from './registered-tokens.ts';

/** One name, or several: repeated, or with commas between. */
const chainNames = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((item) => item.split(',').map((name) => name.trim())))
  .pipe(z.array(z.enum(CHAIN_NAMES, `must be ${CHAIN_NAMES.join(' or ')}`)))
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string', enum: [...CHAIN_NAMES] },
    description: 'One or more; default both. `blockchains[]` is the same',
    example: [...CHAIN_NAMES],
  });

/** Specification, GET /api/wallet/nfts. */
export const listNftsQuery = z.object({
  wallet: addressField,
  blockchains: chainNames,
  'blockchains[]': chainNames,
  pageToken: textField(4_096).default('').meta({
    description: 'nextPageToken of the page before',
  }),
  corporateOnly: z
    .enum(['true', 'false'], 'must be true or false')
    .default('true')
    .meta({ description: "true: tokens of the account's own contracts only; false: of all registered ones" }),
});

/**
 * One page of what a wallet holds, by the NFT index, of contracts that are registered here and ACTIVE. The index pages
 * before this looks, so a page may be short, or empty, with others after it.
 * @throws {DomainError} `upstream` when there is no index, or it fails; `invalid` when it does not know the page token.
 */
export async function listNfts(
  { db, settings, log }: TenantServices,
  query: z.output<typeof listNftsQuery>,
): Promise<{ items: WalletNft[]; nextPageToken: string | null }> {
  const indexUrl = settings.NFT_INDEX_URL;
  if (indexUrl === undefined) throw new DomainError('upstream', 'This service has no NFT index');
  const asked = [...(query.blockchains ?? []), ...(query['blockchains[]'] ?? [])];
  const chains = CHAIN_NAMES.filter((name) => asked.length === 0 || asked.includes(name));
  const page = await tokensOfWallet(indexUrl, { wallet: query.wallet, chains, pageToken: query.pageToken }, log);

  const tokens = page.tokens.map((token) => ({ ...token, chainId: WALLET_CHAINS[token.chain].chainId }));
  const registered = await registeredTokens(db, tokens, query.corporateOnly === 'true' ? 'own' : 'all');
  const items = registered.flatMap(({ position, corporateId, ercStandard, contractName, contractSymbol, document }) => {
    const token = tokens[position];
    if (token === undefined) return [];
    return [
      {
        chain: token.chain,
        chainId: token.chainId,
        contractAddress: token.contractAddress,
        tokenId: token.tokenId,
        amount: token.amount,
        tokenType: `ERC${ercStandard}`,
        // An index may not have read a young token's document yet.
        name: token.name || textOf(document?.['name']) || (contractName ?? ''),
        symbol: token.symbol || (contractSymbol ?? ''),
        tokenUrl: token.tokenUrl,
        imageUrl: token.imageUrl || textOf(document?.['image']),
        metadata: document,
        corporateId,
      },
    ];
  });
  return { items, nextPageToken: page.nextPageToken };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
