import type { Statements } from '../platform/database/client.ts';
import type { OrderKind } from './order-kind.ts';

/**
 * What most kinds have in common: an order depends on no other, goes alone, can be carried out by the wallet alone, and
 * its end changes nothing but its own row.
 */
const COMMON = {
  idleMinutes: { waiting: 5, signed: 10 },
  dependency: null,
  bundling: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,
  ended: () => ({}),
  reopened: () => ({}),
} as const;

type Common = keyof typeof COMMON;

/** A kind of order, by what is special about it. */
export function defineOrder<Order, Effect, Reply, Ended extends Statements = Statements>(
  kind: Omit<OrderKind<Order, Effect, Reply, Ended>, Common> &
    Partial<Pick<OrderKind<Order, Effect, Reply, Ended>, Common>>,
): OrderKind<Order, Effect, Reply, Ended> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is common suits every kind
  return { ...COMMON, ...kind } as OrderKind<Order, Effect, Reply, Ended>;
}
