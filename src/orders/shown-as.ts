import type { z } from 'zod';
import { END_STATUS } from '../platform/database/vocabulary/order-status.ts';
import type { OrderProgress } from '../engine/order-result.ts';
import type { OrderEvents, OrderKind, OrderResource } from '../engine/order-kind.ts';
import type { StoredOrder } from '../engine/order-row.store.ts';
import type { StoredOrders } from './stored-orders.ts';

/** What is told of orders, in replies and events: one form. */
interface Shown<Order, New, Reply> extends Omit<OrderResource<Order, Reply>, 'id' | 'form' | 'reply'> {
  readonly stored: StoredOrders<Order, New>;
  readonly schema: z.ZodType<Reply>;
  readonly reply: (order: Order & { readonly progress?: OrderProgress }) => Reply;
  /** The events of their ends. */
  readonly types: OrderEvents<Order, unknown, Reply>['types'];
}

/** How orders that are rows of the ledger are stored, read and shown, and the events of their ends. */
export function shownAs<New extends object, Order extends StoredOrder & New, Reply>({
  stored,
  schema,
  reply,
  types,
  ...resource
}: Shown<Order, New, Reply>): Pick<OrderKind<Order, unknown, Reply>, 'resource' | 'events' | 'columns' | 'reading'> {
  return {
    resource: {
      ...resource,
      id: stored.resource,
      form: stored,
      reply: ({ order }, progress) => reply({ ...order, progress }),
    },
    events: {
      types,
      data: schema,
      reply: ({ claim, result }, end) => reply({ ...claim.order, ...end, status: END_STATUS[result] }),
    },
    columns: (order) => stored.columns(order),
    reading: { parse: (row) => stored.fromRow(row) },
  };
}
