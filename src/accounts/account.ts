import type { Address } from 'viem';
import type { WalletAccount } from '../engine/wallet-account.store.ts';

/** A corporate account, as use cases see it, with the wallet that owns its contracts. */
export interface Account extends WalletAccount {
  /** The wallet that pays for relayed requests, EIP-55 checksummed; null if `walletAddress` does. */
  readonly relayerAddress: Address | null;
  /** Whether it has limits. */
  readonly isLimited: boolean;
}

/**
 * The wallet that pays for new relayed requests. Those accepted before stay with the wallet that they were accepted
 * for.
 */
export function relayerOf({ relayerAddress, walletAddress }: Account): Address {
  return relayerAddress ?? walletAddress;
}
