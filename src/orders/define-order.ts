import { PLAIN } from '../engine/plain-kind.ts';
import type { OrderKind, Outcome } from '../engine/order-kind.ts';
import type { ResultsOf, Statements } from '../platform/database/client.ts';
import type { Services } from '../services.ts';

/** A kind of order of this service: what the engine needs of it, and what the service does after its orders have ended. */
export interface ServiceKind<Order, Effect, Reply, Ended extends Statements = Statements> extends OrderKind<
  Order,
  Effect,
  Reply,
  Ended
> {
  /**
   * Best-effort work beside the run, such as filling a cache.
   * @param results Of the statements of `ended`.
   */
  readonly settled?:
    | ((services: Services, outcomes: readonly Outcome<Order, Effect>[], results: ResultsOf<Ended>) => Promise<void>)
    | undefined;
}

/** A kind with any type of order; each only receives its own orders. */
// oxlint-disable-next-line typescript/no-explicit-any -- the registry holds kinds with different order types
export type AnyServiceKind = ServiceKind<any, any, any, any>;

type Common = keyof typeof PLAIN;

/** A kind of order, by what is special about it. */
export function defineOrder<Order, Effect, Reply, Ended extends Statements = Statements>(
  kind: Omit<ServiceKind<Order, Effect, Reply, Ended>, Common> &
    Partial<Pick<ServiceKind<Order, Effect, Reply, Ended>, Common>>,
): ServiceKind<Order, Effect, Reply, Ended> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is common suits every kind
  return { ...PLAIN, ...kind } as ServiceKind<Order, Effect, Reply, Ended>;
}
