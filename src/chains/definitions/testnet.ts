import type { ChainDefinition } from '../definition.ts';
import { mainnet } from './mainnet.ts';

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
