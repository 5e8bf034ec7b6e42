import type { ChainDefinition } from '../definition.ts';
import { mainnet } from './mainnet.ts';

/** Avalanche Fuji: the C-Chain's test network. */
export const testnet: ChainDefinition = {
  ...mainnet,
  id: '43113',
  name: 'testnet',
  kind: 'test',
  indexName: 'avalanche_fuji',
};
