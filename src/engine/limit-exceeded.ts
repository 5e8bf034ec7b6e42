import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import { dayEnd } from './account-limits.ts';
import type { ReachedLimit } from './account-limits.ts';

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
export class LimitExceeded extends DomainError {
  /** Why each is refused, by order id. */
  readonly refusals: ReadonlyMap<string, DomainError>;
  /** The limits that refuse them and have not been notified in their window. */
  readonly unnotified: readonly ReachedLimit[];

  constructor(refusals: ReadonlyMap<string, DomainError>, first: DomainError, unnotified: readonly ReachedLimit[]) {
    const { code, message, issues, retryAfterSeconds } = first;
    super(code, message, issues, { retryAfterSeconds });
    this.refusals = refusals;
    this.unnotified = unnotified;
  }

  /** @param found JSON: the refused orders, with the limit that refuses each. */
  static parse(found: string, now: number): LimitExceeded {
    const limits = new Map<string, Limit>();
    const unnotified = new Map<string, ReachedLimit>();
    // What is never allowed takes precedence over what is not allowed now.
    for (const { orderId, limit, chainId, value, isNotified } of refusalsSchema.parse(JSON.parse(found))) {
      if (!limits.has(orderId) || FORBIDDEN.has(limit)) limits.set(orderId, limit);
      if (!isNotified) unnotified.set(`${limit} ${chainId}`, { limit, chainId, value });
    }
    const refusals = new Map(Array.from(limits, ([orderId, limit]) => [orderId, refusalOf(limit, now)] as const));
    const [first] = refusals.values();
    if (first === undefined) throw new Error('A refusal names an order');
    return new LimitExceeded(refusals, first, [...unnotified.values()]);
  }
}

function refusalOf(limit: Limit, now: number): DomainError {
  const message = REFUSALS[limit];
  const issues = [{ path: limit, message }];
  if (FORBIDDEN.has(limit)) return new DomainError('forbidden', message, issues);
  const untilTomorrow = Math.ceil((dayEnd(now) - now) / 1_000);
  const retryAfterSeconds = limit === 'pendingOrders' ? PENDING_SECONDS : untilTomorrow;
  return new DomainError('rate-limited', message, issues, { retryAfterSeconds });
}
