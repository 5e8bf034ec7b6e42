import type { Address } from 'viem';
import type { Matching } from './match-transactions.ts';

/** Nonces of a wallet, `from` and `to` included. */
export interface NonceRange {
  readonly wallet: Address;
  readonly from: number;
  readonly to: number;
}

/** What a comparison of the database with a chain found. */
export interface Comparison {
  readonly chainId: string;
  readonly fromBlock: number;
  readonly toBlock: number;
  /** How many nonces of each wallet are used. */
  readonly used: readonly { readonly wallet: Address; readonly count: number }[];
  readonly matching: Matching;
  /** The `corporateId`s of accounts whose main wallet has given away what it had, perhaps to another one of theirs. */
  readonly moved: readonly string[];
  /**
   * Nonces of transactions that are not in a final block yet, or only known to a node, those that signed transactions
   * of the database hold included: what is sent may be other bytes than the database has.
   */
  readonly unsettled: readonly NonceRange[];
  /** Used nonces, of transactions that are not in the blocks that were read. */
  readonly unexplained: readonly NonceRange[];
}

/**
 * Whether every nonce of the wallets is accounted for, so that nothing of a chain is left to wait for or to look for.
 */
export const isComplete = ({ unsettled, unexplained }: Pick<Comparison, 'unsettled' | 'unexplained'>): boolean =>
  unsettled.length === 0 && unexplained.length === 0;
