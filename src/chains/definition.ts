/** Everything the service knows about a chain. Settings may override numbers where noted; nothing else in src/ names a chain. */
export interface ChainDefinition {
  /** Decimal EIP-155 id. */
  readonly id: string;
  /** The name of the API (`mainnet`, `testnet`, ...), as GET /api/wallet/nfts takes it. */
  readonly name: string;
  readonly kind: 'main' | 'test';
  /** What gas is paid in. */
  readonly nativeCoin: {
    readonly symbol: string;
    readonly decimals: 18;
    /** Id at the rates provider. */
    readonly rateId: string;
  };
  /** The chain's name at the NFT index provider. */
  readonly indexName: string;
  /** Depth at which CONFIRMED is told; 1 = the block that has the transaction. A setting CONFIRMATIONS_<id> may raise it, never lower it. */
  readonly confirmations: number;
  /** Depth after which a block is never taken back. FINALITY_<id> may raise it, never lower it. */
  readonly finality: number;
  /** Usual time between blocks, in milliseconds. */
  readonly blockTimeMs: number;
  /** Nonces in flight: where the window starts and the most it grows to. IN_FLIGHT_WINDOW overrides the maximum. */
  readonly window: { readonly start: number; readonly max: number };
  /** Caps in wei per gas; above them orders are held, never FAILED. */
  readonly feeCap: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };
  /** The least raise that replaces a transaction in the node's pool, in percent (we raise by max(this, 12.5)). */
  readonly priceBumpPercent: number;
  /** Calls in one JSON-RPC batch to start with. */
  readonly rpcBatch: number;
}
