import type { Wei } from '../chains/wei.ts';
import type { LimitName } from './limit-names.ts';
import type { Parties } from './order-kind.ts';

/** A limit that refuses or holds an order. */
export interface ReachedLimit {
  readonly limit: LimitName;
  /** The chain that the limit is about; null for one of all chains together. */
  readonly chainId: string | null;
  /** As it is stored: a number, or wei; null for a list. */
  readonly value: string | null;
}

/** Why an account's limits hold an order. */
export interface Excess {
  readonly reached: ReachedLimit;
  readonly detail: string;
}

/** What an account may still do on the lane's chain, as of a claim of its orders. */
export interface Standing {
  /** Why an order may not be sent at all; undefined: it may. */
  forbids(parties: Parties): Excess | undefined;
  /** Whether `guard` of an `Admission` must check what it spends. */
  readonly isGuarded: boolean;
  /** The most that the account pays for a unit of gas; null: not limited. */
  readonly gasPrice: Wei | null;
  /** The reason when gas is too expensive for the account. @param most The most that it pays. */
  tooExpensive(baseFee: Wei, most: Wei): Excess;
  /**
   * Why an order may not be sent now; undefined: it may.
   * @param cost The most that the order may cost. @param earlier The same of those that were admitted with it.
   */
  overspend(cost: Wei, earlier: Wei): Excess | undefined;
}
