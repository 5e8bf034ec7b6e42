import type { ChainDefinition } from '../chains/definition.ts';
import { createRpcClient, type RpcClient } from '../chains/rpc-client.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { SystemDb } from '../platform/database/client.ts';
import type { Settings } from '../platform/env.ts';
import type { Lanes } from '../platform/lanes.ts';
import type { RateSource } from '../platform/rates/exchange-rates.ts';
import type { Admission } from './admission.ts';
import type { Hooks } from './hooks.ts';
import type { ChainReads, KindContext, OrderKinds } from './order-kind.ts';
import type { Signer } from './signer.ts';
import type { WalletAccount } from './wallet-account.store.ts';
import type { WalletLane } from './wallet-lane.ts';

/** What the engine is given. It knows no account's keys, no limits and no webhooks. */
export interface EngineServices {
  readonly settings: Settings;
  /** The database with the ledger. */
  readonly db: SystemDb;
  /** @throws {SigningKeyError} */
  readonly loadSigner: (account: WalletAccount) => Promise<Signer>;
  readonly admission: Admission;
  readonly hooks: Hooks;
  readonly rates: Pick<RateSource, 'current'>;
  /** The drivers of other lanes, by `laneName`. */
  readonly lanes: Lanes;
  readonly clock: Clock;
  readonly log: Log;
}

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
  readonly services: EngineServices;
  readonly kinds: OrderKinds;
  readonly lane: WalletLane;
  readonly chain: LaneChain;
}

/** What the functions of a kind are given. */
export function kindContextOf(
  { services: { db, clock }, chain: { blockTimeMs } }: Pick<LaneContext, 'services' | 'chain'>,
  reads: ChainReads,
): KindContext {
  return { db, clock, reads, blockTimeMs };
}
