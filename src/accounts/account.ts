import type { Address } from 'viem';

/** A corporate account with the wallet that makes a call. */
export interface WalletAccount {
  readonly id: string;
  readonly corporateId: string;
  /** EIP-55 checksummed. */
  readonly walletAddress: Address;
  /** Name of the secret with the wallet's private key. */
  readonly secretManagerKeyId: string;
}

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
