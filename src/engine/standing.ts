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
  /** The most that it pays for a unit of gas, in wei; null: not limited. */
  readonly gasPrice: bigint | null;
  /** Gas is too expensive for the account. @param most That it pays, in wei. */
  tooExpensive(baseFee: bigint, most: bigint): Excess;
  /**
   * Why an order may not be sent now; undefined: it may.
   * @param cost The most that it may cost, in wei. @param earlier The same of those that were admitted with it.
   */
  overspend(cost: bigint, earlier: bigint): Excess | undefined;
}
