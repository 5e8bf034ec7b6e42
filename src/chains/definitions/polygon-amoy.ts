import type { ChainDefinition } from '../definition.ts';
import { polygon } from './polygon.ts';

/** Polygon Amoy: Polygon's test network. */
export const polygonAmoy: ChainDefinition = {
  ...polygon,
  id: '80002',
  name: 'polygon-amoy',
  kind: 'test',
  indexName: 'polygon_amoy',
};
