import type { ChainDefinition } from './definition.ts';
import { mainnet } from './definitions/mainnet.ts';
import { polygonAmoy } from './definitions/polygon-amoy.ts';
import { polygon } from './definitions/polygon.ts';
import { testnet } from './definitions/testnet.ts';

/** Every chain that ALLOWED_CHAIN_IDS may name. */
export const CHAINS: readonly ChainDefinition[] = [mainnet, testnet, polygon, polygonAmoy];

/** The chain of a deployment that names none (specification, POST /contracts/deploy). */
export const DEFAULT_CHAIN = mainnet;

/** Allowed where ALLOWED_CHAIN_IDS is not set; listed by GET /api/wallet/nfts where the query names none (specification). */
export const DEFAULT_CHAINS: readonly ChainDefinition[] = [mainnet, testnet];

/** @throws {Error} when there is no definition: the settings allow defined chains only. */
export function chainDefinition(id: string): ChainDefinition {
  const definition = CHAINS.find((chain) => chain.id === id);
  if (definition === undefined) throw new Error(`Chain ${id} has no definition`);
  return definition;
}
