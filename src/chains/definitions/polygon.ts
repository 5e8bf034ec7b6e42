import { parseEther } from 'viem';
import { type ChainDefinition, GWEI } from '../definition.ts';

/** Polygon PoS. Every transaction pays at least 25 gwei per gas. */
export const polygon: ChainDefinition = {
  id: '137',
  name: 'polygon',
  kind: 'main',
  title: 'Polygon',
  publicRpcUrls: ['https://polygon.drpc.org'],
  explorerUrl: 'https://polygonscan.com',
  nativeCoin: { symbol: 'POL', decimals: 18, rateId: 'polygon-ecosystem-token' },
  indexName: 'polygon',
  // A milestone finalises a block, usually within five seconds. Five blocks take almost nine seconds.
  confirmations: 5,
  // Milestones have been 10 to 15 minutes late (September 2025). 600 blocks take more than 17 minutes.
  finality: 600,
  blockTimeMs: 1_750,
  window: 512,
  feeCap: { maxFeePerGas: 2_000n * GWEI, maxPriorityFeePerGas: 100n * GWEI },
  // About 100 mints at 100 gwei.
  lowBalance: parseEther('1'),
  priceBumpPercent: 10,
  rpcBatch: 50,
};

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
