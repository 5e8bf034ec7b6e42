import { z } from 'zod';
import { CHAINS, DEFAULT_CHAIN } from '../../chains/list.ts';
import { shownChainId, shownContractAddress, shownCorporateId, shownTokenId } from '../../core/reply-fields.ts';

/** The Wallet NFT item of the specification. */
const walletNftSchema = z
  .object({
    chain: z
      .enum(CHAINS.map(({ name }) => name))
      .meta({ description: 'Name of the chain', example: DEFAULT_CHAIN.name }),
    chainId: shownChainId.meta({ example: DEFAULT_CHAIN.id }),
    contractAddress: shownContractAddress,
    tokenId: shownTokenId,
    amount: z.string().meta({
      description: 'Number of tokens, decimal; 1 for ERC-721',
      example: '1',
      pattern: String.raw`^\d+$`,
    }),
    tokenType: z.string().meta({ description: 'As the NFT index names the standard', example: 'ERC721' }),
    name: z.string().meta({ description: 'Name of the contract', example: 'Opening night' }),
    symbol: z.string().meta({ description: 'Symbol of the contract', example: 'TIX' }),
    tokenUrl: z
      .string()
      .meta({ description: 'Token URI; may be empty', example: 'https://nft.example.com/metadata/0x8ba1/1' }),
    imageUrl: z
      .string()
      .meta({ description: 'URL of the picture; may be empty', example: 'https://example.com/ticket.png' }),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The document that GET /metadata serves for the token; null if there is none' }),
    corporateId: shownCorporateId.meta({ description: "The caller's own; empty for another account's contract" }),
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
