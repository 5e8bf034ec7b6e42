import type { ChainDefinition } from './definition.ts';
import { mainnet, testnet } from './definitions/avalanche.ts';
import { polygonAmoy, polygon } from './definitions/polygon.ts';

/** Every chain that ALLOWED_CHAIN_IDS may name. */
export const CHAINS: readonly ChainDefinition[] = [mainnet, testnet, polygon, polygonAmoy];

/** The default chain of a deployment (specification, POST /contracts/deploy). */
export const DEFAULT_CHAIN = mainnet;

/** The defaults of ALLOWED_CHAIN_IDS and of the `blockchains` of GET /api/wallet/nfts (specification). */
export const DEFAULT_CHAINS: readonly ChainDefinition[] = [mainnet, testnet];

/** @throws {Error} when the chain has no definition, which the settings rule out. */
export function chainDefinition(id: string): ChainDefinition {
  const definition = CHAINS.find((chain) => chain.id === id);
  if (definition === undefined) throw new Error(`Chain ${id} has no definition`);
  return definition;
}
