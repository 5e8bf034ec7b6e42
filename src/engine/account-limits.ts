import { formatEther, formatGwei } from 'viem';
import type { Address } from 'viem';
import type { StoredLimits, StoredSpendLimits } from '../platform/database/schema.ts';
import { lowerCase } from '../core/lower-case.ts';

/** The contract that an order acts on, and who receives tokens or contracts by it; in any case. */
export interface Parties {
  /** Null where the order creates one. */
  readonly contract: Address | null;
  readonly receivers: readonly Address[];
}

/** Where an account stands with its limits. */
export interface AccountStanding {
  readonly limits: StoredLimits;
  /** Wei that its transactions on the lane's chain have cost since the day began, or may cost. */
  readonly spentToday: bigint;
}

/** The start of the UTC day, in milliseconds since the epoch: limits of a day count from it. */
export function dayStart(now: number): number {
  return now - (now % 86_400_000);
}

/** What an account may spend on a chain. */
export function spendLimitsOf({ spend }: StoredLimits, chainId: string): StoredSpendLimits {
  return spend[chainId] ?? { perDay: null, perOrder: null, gasPrice: null };
}

/**
 * Why the limits do not allow an order at all; undefined where they do. Its own wallet is a receiver that every account has.
 * The statement of acceptance says the same in SQL.
 */
export function forbiddenBy(
  { chains, contracts, receivers }: StoredLimits,
  chainId: string,
  wallet: Address,
  parties: Parties,
): string | undefined {
  if (chains?.includes(chainId) === false) return `The account's limits do not allow chain ${chainId}`;
  if (parties.contract !== null && contracts?.includes(lowerCase(parties.contract)) === false) {
    return `The account's limits do not allow the contract ${parties.contract}`;
  }
  const others = parties.receivers.filter((receiver) => lowerCase(receiver) !== lowerCase(wallet));
  const stranger = others.find((receiver) => receivers?.includes(lowerCase(receiver)) === false);
  return stranger === undefined ? undefined : `The account's limits do not allow the receiver ${stranger}`;
}

/**
 * Why the limits do not allow an order to be sent now; undefined where they do.
 * @param cost Wei that it may cost. @param spent Wei of the day that went to others.
 */
export function overspendOf(limits: StoredLimits, chainId: string, cost: bigint, spent: bigint): string | undefined {
  const { perOrder, perDay } = spendLimitsOf(limits, chainId);
  if (perOrder !== null && cost > BigInt(perOrder)) {
    return `The order may cost ${formatEther(cost)} coins, and the account's limit for one is ${formatEther(BigInt(perOrder))}`;
  }
  if (perDay !== null && spent + cost > BigInt(perDay)) {
    return `The order may cost ${formatEther(cost)} coins, ${formatEther(spent)} are spent or reserved today, and the account's limit for a day is ${formatEther(BigInt(perDay))}`;
  }
  return undefined;
}

/** Says that gas is too dear for an account. @param gasPrice What it pays at most, in wei. */
export function gasPriceDetail(baseFee: bigint, gasPrice: bigint): string {
  return `The chain asks ${formatGwei(baseFee)} gwei for a unit of gas and a tip, and the account's limit is ${formatGwei(gasPrice)}`;
}
