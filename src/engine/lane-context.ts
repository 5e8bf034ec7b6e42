import type { ChainDefinition } from '../chains/definition.ts';
import type { RpcClient } from '../chain/rpc-client.ts';
import type { Services } from '../services.ts';
import type { GasPrice } from './fees.ts';
import type { OrderKinds } from './order-kind.ts';
import type { WalletLane } from './wallet-lane.ts';

/** A chain as a driver uses it: its definition, with the settings' numbers in it. */
export interface LaneChain {
  readonly definition: ChainDefinition;
  readonly rpc: RpcClient;
  /** Depth at which an order is CONFIRMED; 1 is the block that has the transaction. */
  readonly confirmations: number;
  /** Depth after which a block is never taken back. */
  readonly finality: number;
  readonly startWindow: number;
  readonly maxWindow: number;
  readonly feeCap: GasPrice;
}

/** What every step of a driver is handed. */
export interface LaneContext {
  readonly services: Services;
  readonly kinds: OrderKinds;
  readonly lane: WalletLane;
  readonly chain: LaneChain;
}
