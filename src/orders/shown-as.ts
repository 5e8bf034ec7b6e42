import type { z } from 'zod';
import { ORDER_STATUS, type OrderStatus } from '../core/order-status.ts';
import type { OrderProgress } from '../core/reply-fields.ts';
import type { OrderEvents, OrderKind, OrderResource } from '../engine/order-kind.ts';

/** What every order has in its row. */
interface Stored {
  readonly status: OrderStatus;
}

/** What is told of orders of a kind, in replies and events: one form. */
interface Shown<Order extends Stored, Reply> extends Omit<OrderResource<Order, Reply>, 'reply'> {
  readonly schema: z.ZodType<Reply>;
  readonly reply: (order: Order & { readonly progress?: OrderProgress | null }) => Reply;
  /** The events of their ends. */
  readonly types: OrderEvents<Order, unknown, Reply>['types'];
}

/** How the API shows orders that are rows of the ledger, and the events of their ends. */
export function shownAs<Order extends Stored, Reply>({
  schema,
  reply,
  types,
  ...resource
}: Shown<Order, Reply>): Pick<OrderKind<Order, unknown, Reply>, 'resource' | 'events'> {
  return {
    resource: { ...resource, reply: ({ order }, progress) => reply({ ...order, progress }) },
    events: {
      types,
      data: schema,
      reply: ({ claim, result }, end) => reply({ ...claim.order, ...end, status: ORDER_STATUS[result] }),
    },
  };
}
