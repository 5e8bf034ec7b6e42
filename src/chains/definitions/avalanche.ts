import { parseEther } from 'viem';
import { type ChainDefinition, GWEI } from '../definition.ts';

/** Avalanche C-Chain. An accepted block is final. */
export const mainnet: ChainDefinition = {
  id: '43114',
  name: 'mainnet',
  kind: 'main',
  title: 'Avalanche',
  publicRpcUrls: ['https://api.avax.network/ext/bc/C/rpc'],
  explorerUrl: 'https://snowtrace.io',
  nativeCoin: { symbol: 'AVAX', decimals: 18, rateId: 'avalanche-2' },
  indexName: 'avalanche',
  confirmations: 1,
  finality: 1,
  blockTimeMs: 2_000,
  window: 512,
  feeCap: { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: 5n * GWEI },
  // About 30 mints at 25 gwei.
  lowBalance: parseEther('0.1'),
  priceBumpPercent: 10,
  rpcBatch: 50,
};

/** Avalanche Fuji: the C-Chain's test network. */
export const testnet: ChainDefinition = {
  ...mainnet,
  id: '43113',
  name: 'testnet',
  kind: 'test',
  title: 'Avalanche Fuji',
  publicRpcUrls: ['https://api.avax-test.network/ext/bc/C/rpc'],
  explorerUrl: 'https://testnet.snowtrace.io',
  indexName: 'avalanche_fuji',
};
