import type { ChainDefinition } from '../chains/definition.ts';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { Services } from '../services.ts';
import type { OrderKinds } from './order-kind.ts';
import type { WalletLane } from './wallet-lane.ts';

/** A chain and its RPC client. */
export interface LaneChain extends ChainDefinition {
  readonly rpc: RpcClient;
}

/** The dependencies of every step of a driver. */
export interface LaneContext {
  readonly services: Services;
  readonly kinds: OrderKinds;
  readonly lane: WalletLane;
  readonly chain: LaneChain;
}
