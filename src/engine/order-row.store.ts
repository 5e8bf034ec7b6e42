import { getTableColumns } from 'drizzle-orm';
import { z } from 'zod';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { OrderProgress } from './order-result.ts';
import { orders, type OrderResourceName } from '../platform/database/schema.ts';

const {
  resource: _resource,
  sentAt: _sentAt,
  walletAddress,
  trace,
  version,
  nonce,
  bundleId,
  bundlePlace,
  bundleSize,
  earlierBundleId,
  nextTryAt,
  tries,
  notBeforeBlock,
  refusal,
  blockNumber,
  blockHash,
  spentWei,
  spentAt,
  isFinal,
  batchId,
  ...shown
} = getTableColumns(orders);

/** The columns that say what an order is and how it stands. */
export const ORDER_COLUMNS = shown;

/** The other columns, which only the engine reads. */
export const ENGINE_COLUMNS = {
  walletAddress,
  trace,
  version,
  nonce,
  bundleId,
  bundlePlace,
  bundleSize,
  earlierBundleId,
  nextTryAt,
  tries,
  notBeforeBlock,
  refusal,
  blockNumber,
  blockHash,
  spentWei,
  spentAt,
  isFinal,
  batchId,
};

/** An order as it is stored. */
export type OrderRow = SelectResultFields<typeof ORDER_COLUMNS>;

/** The columns of the ledger that say what an order does. */
export type OrderColumns = Pick<
  typeof orders.$inferInsert,
  | 'contractId'
  | 'contractAddress'
  | 'ercStandard'
  | 'tokenId'
  | 'amount'
  | 'receiverAddress'
  | 'holderAddress'
  | 'metadataId'
  | 'details'
>;

export type StoredOrder = Pick<OrderRow, 'id' | 'chainId'>;

/** How orders that the API shows in one way are made of their rows. */
export interface OrderForm<Order> {
  /** Stored in `orders.resource`. */
  readonly resource: OrderResourceName;
  /** The columns of their own properties, by the names of these. */
  readonly names: Readonly<Record<string, Exclude<keyof OrderColumns, 'details'>>>;
  /** The order of a row. @throws if it lacks what each such order has. */
  fromRow(row: OrderRow): Order;
}

/** What a dependent order waits for; null: nothing. */
const turnSchema = z.object({ detail: z.string(), since: z.coerce.date() }).nullable();

/**
 * How an order stands besides its status.
 * @param turn What it waits for: that holds it, and not what held it before.
 */
export function orderProgress(
  { holdReason: reason, holdDetail: detail, heldSince: since, cancelRequestedAt, approvalUntil, state }: Standing,
  turn: z.output<typeof turnSchema> = null,
): OrderProgress {
  const held = reason === null || since === null ? null : { reason, detail: detail ?? '', since };
  return {
    hold: turn === null ? held : { reason: 'earlier-request', ...turn },
    cancelRequestedAt,
    awaitsApproval: approvalUntil !== null && state === 'waiting',
  };
}

type Standing = Pick<
  OrderRow,
  'holdReason' | 'holdDetail' | 'heldSince' | 'cancelRequestedAt' | 'approvalUntil' | 'state'
>;

/** An order with how it stands. */
export type Progressing<Order> = Order & { readonly progress: OrderProgress };

/** A row that was read to reply with its order. */
export type ReplyRow = OrderRow & { readonly turn: unknown };

/** The order of such a row. */
export function orderOf<Order>(form: OrderForm<Order>, { turn, ...row }: ReplyRow): Progressing<Order> {
  return { ...form.fromRow(row), progress: orderProgress(row, turnSchema.parse(turn)) };
}
