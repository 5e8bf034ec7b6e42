import { formatEther, formatGwei, type Address } from 'viem';
import type { StoredLimits, StoredSpendLimits } from '../platform/database/schema.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { LimitName } from '../engine/limit-names.ts';
import type { Excess, ReachedLimit, Standing } from '../engine/standing.ts';
import type { Parties } from '../engine/order-kind.ts';
import { z } from 'zod';
import type { Wei } from '../chains/wei.ts';
import { DomainError } from '../core/domain-error.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import { OrdersRefused } from './orders-refused.ts';

/** The limits of an account, and what is used of them. */
export interface AccountStanding {
  readonly limits: StoredLimits;
  /** The wallet that owns its contracts. */
  readonly mainWallet: Address;
  /** What the account's transactions on the lane's chain have cost today, or may cost. */
  readonly spentToday: Wei;
}

const DAY_MS = 86_400_000;

/** The start of the UTC day, from which daily limits count. */
export function dayStart(now: EpochMs): EpochMs {
  return now - (now % DAY_MS);
}

/** The end of the UTC day. */
export function dayEnd(now: EpochMs): EpochMs {
  return dayStart(now) + DAY_MS;
}

/** What an account may spend on a chain. */
function spendLimitsOf({ spend }: StoredLimits, chainId: string): StoredSpendLimits {
  return spend[chainId] ?? { perDay: null, perOrder: null, gasPrice: null };
}

/**
 * Why the limits do not allow an order at all; undefined if they do. The wallet that owns the account's contracts is
 * always an allowed receiver. The statement that accepts orders has the same rule in SQL.
 */
export function forbiddenBy(
  { limits: { chains, contracts, receivers }, mainWallet }: AccountStanding,
  chainId: string,
  parties: Parties,
): Excess | undefined {
  const excess = (limit: LimitName, what: string): Excess => ({
    reached: { limit, chainId, value: null },
    detail: `The account's limits do not allow ${what}`,
  });
  if (chains?.includes(chainId) === false) return excess('chains', `chain ${chainId}`);
  if (parties.contract !== null && contracts?.includes(lowerCase(parties.contract)) === false) {
    return excess('contracts', `the contract ${parties.contract}`);
  }
  const others = parties.receivers.filter((receiver) => lowerCase(receiver) !== lowerCase(mainWallet));
  const forbidden = others.find((receiver) => receivers?.includes(lowerCase(receiver)) === false);
  return forbidden === undefined ? undefined : excess('receivers', `the receiver ${forbidden}`);
}

/** What an account may still do on a chain: what its driver asks before it signs. */
export function standingOf(chainId: string, account: AccountStanding): Standing {
  const { limits, spentToday } = account;
  const { perOrder, perDay, gasPrice } = spendLimitsOf(limits, chainId);
  const excess = (limit: LimitName, value: string, detail: string): Excess => ({
    reached: { limit, chainId, value },
    detail,
  });
  return {
    isGuarded: perDay !== null,
    gasPrice: gasPrice === null ? null : BigInt(gasPrice),
    forbids: (parties) => forbiddenBy(account, chainId, parties),
    tooExpensive: (baseFee, most) =>
      excess(
        'gasPrice',
        most.toString(),
        `The base fee is ${formatGwei(baseFee)} gwei per gas, too high for the account's limit of ${formatGwei(most)}`,
      ),
    overspend(cost, earlier) {
      const spent = spentToday + earlier;
      const may = `The order may cost ${formatEther(cost)} coins`;
      if (perOrder !== null && cost > BigInt(perOrder)) {
        const detail = `${may}, and the account's limit per order is ${formatEther(BigInt(perOrder))}`;
        return excess('spendPerOrder', perOrder, detail);
      }
      if (perDay !== null && spent + cost > BigInt(perDay)) {
        const detail = `${may}, ${formatEther(spent)} are spent or reserved today, and the account's limit per day is ${formatEther(BigInt(perDay))}`;
        return excess('spendPerDay', perDay, detail);
      }
      return undefined;
    },
  };
}

/** The limits that can refuse an order, with the message of each. */
const REFUSALS = {
  chains: 'The limits of the account do not allow this chain',
  contracts: 'The limits of the account do not allow this contract',
  receivers: 'The limits of the account do not allow this receiver',
  ordersPerDay: 'The account has reached its limit of orders per day',
  pendingOrders: 'The account has reached its limit of pending orders',
  spendPerDay: 'The account has reached its spend limit per day on this chain',
} as const;

type Limit = keyof typeof REFUSALS;

const FORBIDDEN: ReadonlySet<Limit> = new Set(['chains', 'contracts', 'receivers']);

/** Seconds after which pending orders may have ended. */
const PENDING_SECONDS = 30;

const refusalsSchema = z.array(
  z.object({
    orderId: z.string(),
    limit: z.custom<Limit>((value) => typeof value === 'string' && value in REFUSALS),
    chainId: z.string().nullable(),
    value: z.string().nullable(),
    isNotified: z.boolean(),
  }),
);

/** The account's limits refuse orders; no order of the same batch is stored. */
export class LimitExceeded extends OrdersRefused {
  /** The limits that refuse them and have not been notified in their window. */
  readonly unnotified: readonly ReachedLimit[];

  constructor(refusals: ReadonlyMap<string, DomainError>, unnotified: readonly ReachedLimit[]) {
    super(refusals);
    this.unnotified = unnotified;
  }

  /** @param found JSON: the refused orders, with the limit that refuses each. */
  static parse(found: string, now: EpochMs): LimitExceeded {
    const limits = new Map<string, Limit>();
    const unnotified = new Map<string, ReachedLimit>();
    // What is never allowed takes precedence over what is not allowed now.
    for (const { orderId, limit, chainId, value, isNotified } of refusalsSchema.parse(JSON.parse(found))) {
      if (!limits.has(orderId) || FORBIDDEN.has(limit)) limits.set(orderId, limit);
      if (!isNotified) unnotified.set(`${limit} ${chainId}`, { limit, chainId, value });
    }
    const refusals = new Map(Array.from(limits, ([orderId, limit]) => [orderId, limitRefusal(limit, now)] as const));
    return new LimitExceeded(refusals, [...unnotified.values()]);
  }
}

/** The refusal of what a limit does not allow. */
export function limitRefusal(limit: Limit, now: EpochMs = 0): DomainError {
  const message = REFUSALS[limit];
  const issues = [{ path: limit, message, code: 'limit' as const }];
  if (FORBIDDEN.has(limit)) return new DomainError('limit_forbids', message, issues);
  const untilTomorrow = Math.ceil((dayEnd(now) - now) / 1_000);
  const retryAfterSeconds = limit === 'pendingOrders' ? PENDING_SECONDS : untilTomorrow;
  return new DomainError('limit_reached', message, issues, { retryAfterSeconds });
}
