import type { ChainDefinition } from '../chains/definition.ts';
import { createRpcClient, type RpcClient } from '../chains/rpc-client.ts';
import type { Services } from '../services.ts';
import type { OrderKinds } from './order-kind.ts';
import type { WalletLane } from './wallet-lane.ts';

/** A chain and its RPC client. */
export interface LaneChain extends ChainDefinition {
  readonly rpc: RpcClient;
}

const RPC_TIMEOUT_MS = 5_000;

/** Connects to a chain for one lane, or for one order of it. */
export function connectLane(definition: ChainDefinition & { readonly rpcUrls: readonly string[] }): LaneChain {
  const options = { chainId: definition.id, batchSize: definition.rpcBatch, timeoutMs: RPC_TIMEOUT_MS };
  return { ...definition, rpc: createRpcClient(definition.rpcUrls, options) };
}

/** The dependencies of every step of a driver. */
export interface LaneContext {
  readonly services: Services;
  readonly kinds: OrderKinds;
  readonly lane: WalletLane;
  readonly chain: LaneChain;
}
