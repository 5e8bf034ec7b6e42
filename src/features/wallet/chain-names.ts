/** The chains of the listing: the API's name, the chain id, and the name that the NFT index has for it. */
export const WALLET_CHAINS = {
  mainnet: { chainId: '43114', indexName: 'avalanche' },
  testnet: { chainId: '43113', indexName: 'avalanche_fuji' },
} as const;

export type ChainName = keyof typeof WALLET_CHAINS;

export const CHAIN_NAMES = ['mainnet', 'testnet'] as const satisfies readonly ChainName[];
