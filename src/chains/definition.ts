import type { Wei } from './wei.ts';
/** By how many times a chain may be faster than its usual block time: some change theirs without notice. */
export const MAX_SPEED = 10;

/**
 * Everything the service knows about a chain. Settings override numbers where noted. Nothing else in src/ names a
 * chain.
 */
export interface ChainDefinition {
  /** Decimal EIP-155 id. */
  readonly id: string;
  /** The chain's name in the API (`mainnet`, `testnet`, ...), as in GET /api/wallet/nfts. */
  readonly name: string;
  readonly kind: 'main' | 'test';
  /** The chain's name for people. */
  readonly title: string;
  /** Nodes that anyone may use, without a key. PUBLIC_RPC_URL_<id> overrides them. */
  readonly publicRpcUrls: readonly string[];
  /** A block explorer, without a trailing slash: `/tx/<hash>` and `/address/<address>` are its pages. */
  readonly explorerUrl: string;
  /** What gas is paid in. */
  readonly nativeCoin: {
    readonly symbol: string;
    readonly decimals: 18;
    /** Id at the rates provider. */
    readonly rateId: string;
  };
  /** The chain's name at the NFT index provider. */
  readonly indexName: string;
  /**
   * Depth at which an order becomes CONFIRMED; 1 is the transaction's own block. CONFIRMATIONS_<id> may raise it, never
   * lower it.
   */
  readonly confirmations: number;
  /** Depth beyond which a block is never reorganised away. FINALITY_<id> may raise it, never lower it. */
  readonly finality: number;
  /** Usual time between blocks, in milliseconds. */
  readonly blockTimeMs: number;
  /**
   * The most nonces of a wallet in flight: as many transfers as fit into a block. Pools take more of what is executable.
   * IN_FLIGHT_WINDOW overrides it.
   */
  readonly window: number;
  /** Caps per gas. Above them orders wait; they do not fail. */
  readonly feeCap: { readonly maxFeePerGas: Wei; readonly maxPriorityFeePerGas: Wei };
  /** GET /status lists wallets with less. LOW_BALANCE_<id> overrides it. */
  readonly lowBalance: Wei;
  /**
   * The least fee increase that replaces a transaction in a node's mempool, in percent (we raise by max(this, 12.5)).
   */
  readonly priceBumpPercent: number;
  /** Initial number of calls in a JSON-RPC batch. */
  readonly rpcBatch: number;
}

export const GWEI: Wei = 1_000_000_000n;
