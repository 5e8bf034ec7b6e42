import { z } from 'zod';
import { CHAINS, DEFAULT_CHAINS } from '../../chains/list.ts';
import { DomainError } from '../../core/domain-error.ts';
import { addressField, textField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { chainsToList } from './chains-to-list.ts';
import { tokensOfWallet } from './nft-index.ts';
import type { WalletNft } from './nft-reply.ts';
import { registeredTokens } from './registered-tokens.store.ts';

const definedNames = CHAINS.map(({ name }) => name);
const defaultNames = DEFAULT_CHAINS.map(({ name }) => name);

/** One name, or several: repeated, or with commas between. Whether the settings allow the chain is checked later. */
const chainNames = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => [value].flat().flatMap((item) => item.split(',').map((name) => name.trim())))
  .pipe(z.array(z.enum(definedNames, 'must be the name of an allowed chain')))
  .optional()
  .meta({
    type: 'array',
    items: { type: 'string', enum: definedNames },
    description: `One or more allowed chains; default ${defaultNames.join(' and ')}. \`blockchains[]\` is the same`,
    example: defaultNames,
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
 * @throws {DomainError} `upstream` when there is no index, or it fails; `invalid` when it does not know the page token, or
 *   a chain is not allowed.
 */
export async function listNfts(
  { db, account, settings, log }: TenantServices,
  query: z.output<typeof listNftsQuery>,
): Promise<{ items: WalletNft[]; nextPageToken: string | null }> {
  const indexUrl = settings.NFT_INDEX_URL;
  if (indexUrl === undefined) throw new DomainError('upstream', 'This service has no NFT index');
  const chains = chainsToList([...settings.chains.values()], query);
  const page = await tokensOfWallet(indexUrl, { wallet: query.wallet, chains, pageToken: query.pageToken }, log);

  const tokens = page.tokens.map((token) => ({ ...token, chainId: token.chain.id }));
  const registered = await registeredTokens(db, tokens, query.corporateOnly === 'true' ? 'own' : 'all');
  const items = registered.flatMap(({ position, isOwn, ercStandard, contractName, contractSymbol, document }) => {
    const token = tokens[position];
    if (token === undefined) return [];
    return [
      {
        chain: token.chain.name,
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
        corporateId: isOwn ? account.corporateId : '',
      },
    ];
  });
  return { items, nextPageToken: page.nextPageToken };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
