import type { Address } from 'viem';

/** A tenant, as the use cases and the engine see it. */
export interface Account {
  readonly id: string;
  readonly corporateId: string;
  /** EIP-55 form. */
  readonly walletAddress: Address;
  /** Name of the secret that holds the wallet's private key. */
  readonly secretManagerKeyId: string;
}
