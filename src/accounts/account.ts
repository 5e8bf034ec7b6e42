import type { Address } from 'viem';

/** A corporate account, as use cases and the engine see it. */
export interface Account {
  readonly id: string;
  readonly corporateId: string;
  /** EIP-55 checksummed. */
  readonly walletAddress: Address;
  /** Name of the secret with the wallet's private key. */
  readonly secretManagerKeyId: string;
}
