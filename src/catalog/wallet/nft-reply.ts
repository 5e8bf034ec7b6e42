import { z } from 'zod';
import { CHAINS, DEFAULT_CHAIN } from '../../chains/list.ts';

/** The Wallet NFT item of the specification. */
const walletNftSchema = z
  .object({
    chain: z.enum(CHAINS.map(({ name }) => name)).meta({ example: DEFAULT_CHAIN.name }),
    chainId: z.string().meta({ example: DEFAULT_CHAIN.id }),
    contractAddress: z.string().meta({ description: 'Lower case' }),
    tokenId: z.string().meta({ description: 'Decimal' }),
    amount: z.string().meta({ description: 'Decimal; 1 for ERC-721' }),
    tokenType: z.string().meta({ example: 'ERC721' }),
    name: z.string(),
    symbol: z.string(),
    tokenUrl: z.string(),
    imageUrl: z.string().meta({ description: 'May be empty' }),
    metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'The document that GET /metadata serves for the token; null if there is none' }),
    corporateId: z.string().meta({ description: "The caller's own; empty for another account's contract" }),
  })
  .meta({ id: 'WalletNft' });

export type WalletNft = z.output<typeof walletNftSchema>;

export const walletNftsSchema = z
  .object({
    items: z.array(walletNftSchema),
    nextPageToken: z.string().nullable().meta({ description: 'null on the last page' }),
  })
  .meta({ id: 'WalletNfts' });
