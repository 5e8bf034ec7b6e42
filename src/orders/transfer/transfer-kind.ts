import type { OrderKind } from '../../engine/order-kind.ts';
import { holderRequestKind } from '../../relay/holder-request-kind.ts';
import type { TransferReply } from './transfer-reply.ts';
import { transferEventData, transferOrderTable, transferResource } from './transfer-resource.ts';
import { loadTransfers } from './transfers.store.ts';
import type { RelayedTransfer } from './transfers.store.ts';

const NAME = 'transfer';

/** A transfer that its holder signed and the account's wallet pays for. */
export const transferKind: OrderKind<RelayedTransfer, null, TransferReply> = {
  ...holderRequestKind(NAME, (order) => order),
  name: NAME,
  orders: transferOrderTable,
  resource: transferResource,
  events: {
    types: {
      confirmed: { type: 'transfer.confirmed', when: 'A transfer order is CONFIRMED' },
      failed: { type: 'transfer.failed', when: 'A transfer order is FAILED' },
      cancelled: { type: 'transfer.cancelled', when: 'A transfer order is CANCELLED' },
    },
    ...transferEventData,
  },
  parties: ({ contractAddress, to }) => ({ contract: contractAddress, receivers: [to] }),
  settled: null,
  load: (db, condition) => loadTransfers(db, NAME, condition),
};
