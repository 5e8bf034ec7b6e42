import type { ChainDefinition } from '../definition.ts';
import { polygon } from './polygon.ts';

/** Polygon Amoy: Polygon's test network. */
export const polygonAmoy: ChainDefinition = {
  ...polygon,
  id: '80002',
  name: 'polygon-amoy',
  kind: 'test',
  title: 'Polygon Amoy',
  publicRpcUrls: ['https://polygon-amoy.drpc.org'],
  explorerUrl: 'https://amoy.polygonscan.com',
  indexName: 'polygon_amoy',
};
