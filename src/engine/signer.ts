import type { Address, Hex, TransactionSerializableEIP1559 } from 'viem';

/** Signs for one wallet. */
export interface Signer {
  /** With checksum. */
  readonly address: Address;
  /**
   * @returns the serialized transaction. Two calls may return different signatures of the same one.
   * @throws {Error} when there is no signature now; can be retried.
   */
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex>;
}

/**
 * The key is unusable: it is missing, refused, no key of a wallet, or another wallet's. Only an operator can change
 * that.
 */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';
}
