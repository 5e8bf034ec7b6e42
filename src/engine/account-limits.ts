import { formatEther, formatGwei } from 'viem';
import type { Address } from 'viem';
import type { StoredLimits, StoredSpendLimits } from '../platform/database/schema.ts';
import { lowerCase } from '../core/lower-case.ts';

/** The contract that an order acts on, and who receives its tokens or contract; in any letter case. */
export interface Parties {
  /** Null if the order creates one. */
  readonly contract: Address | null;
  readonly receivers: readonly Address[];
}

/** The limits of an account, and what is used of them. */
export interface AccountStanding {
  readonly limits: StoredLimits;
  /** Wei that its transactions on the lane's chain have cost today, or may cost. */
  readonly spentToday: bigint;
}

/** The start of the UTC day, in milliseconds since the epoch, from which daily limits count. */
export function dayStart(now: number): number {
  return now - (now % 86_400_000);
}

/** What an account may spend on a chain. */
export function spendLimitsOf({ spend }: StoredLimits, chainId: string): StoredSpendLimits {
  return spend[chainId] ?? { perDay: null, perOrder: null, gasPrice: null };
}

/**
 * Why the limits do not allow an order at all; undefined if they do. The account's own wallet is always an allowed receiver.
 * The statement that accepts orders has the same rule in SQL.
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
  const forbidden = others.find((receiver) => receivers?.includes(lowerCase(receiver)) === false);
  return forbidden === undefined ? undefined : `The account's limits do not allow the receiver ${forbidden}`;
}

/**
 * Why the limits do not allow an order to be sent now; undefined if they do.
 * @param cost The most that it may cost, in wei. @param spent Wei spent today, without it.
 */
export function overspendOf(limits: StoredLimits, chainId: string, cost: bigint, spent: bigint): string | undefined {
  const { perOrder, perDay } = spendLimitsOf(limits, chainId);
  if (perOrder !== null && cost > BigInt(perOrder)) {
    return `The order may cost ${formatEther(cost)} coins, and the account's limit per order is ${formatEther(BigInt(perOrder))}`;
  }
  if (perDay !== null && spent + cost > BigInt(perDay)) {
    return `The order may cost ${formatEther(cost)} coins, ${formatEther(spent)} are spent or reserved today, and the account's limit per day is ${formatEther(BigInt(perDay))}`;
  }
  return undefined;
}

/** The detail of a hold because gas is too expensive for the account. @param gasPrice The most that it pays, in wei. */
export function gasPriceDetail(baseFee: bigint, gasPrice: bigint): string {
  return `The base fee is ${formatGwei(baseFee)} gwei per gas, too high for the account's limit of ${formatGwei(gasPrice)}`;
}
