import { ORDER_STATUS } from '../../core/order-status.ts';
import type { OrderEvents, OrderResource, OrderTable } from '../../engine/order-kind.ts';
import { transferOrders } from '../../platform/database/schema.ts';
import { transferReply, transferReplySchema } from './transfer-reply.ts';
import type { TransferReply } from './transfer-reply.ts';
import type { RelayedOrder } from './transfers.store.ts';

export const transferOrderTable: OrderTable = {
  label: 'transfers',
  table: transferOrders,
  statuses: ORDER_STATUS,
  columns: { txHash: transferOrders.txHash, gasUsed: transferOrders.transferGasUsed },
};

export const transferResource: OrderResource<RelayedOrder, TransferReply> = {
  path: '/transfer',
  scope: 'transfer',
  tag: 'Gasless transfer',
  name: 'Transfer order',
  reply: ({ order }, progress) => transferReply({ ...order, progress }),
};

/** The data of the events of the kinds of transfer orders. */
export const transferEventData: Pick<OrderEvents<RelayedOrder, null, TransferReply>, 'data' | 'reply'> = {
  data: transferReplySchema,
  reply: ({ claim, result }, { gasUsed, ...end }) =>
    transferReply({ ...claim.order, ...end, status: ORDER_STATUS[result], transferGasUsed: gasUsed }),
};
