import { ORDER_STATUS } from '../../core/order-status.ts';
import type { OrderKind } from '../../engine/order-kind.ts';
import { chainNotifications } from '../../platform/database/schema.ts';
import { encodeNotification, isAnnounced } from './notification-call.ts';
import { notificationReply, notificationReplySchema } from './notification-reply.ts';
import type { NotificationReply } from './notification-reply.ts';
import { loadNotifications } from './notifications.store.ts';
import type { Notification } from './notifications.store.ts';

const NAME = 'notification';

/** The checks of the contract and one log take a third of this. */
const GAS_CEILING = 100_000n;

/** The event that a token's metadata has changed (ERC-4906). Only the contract's owner, the account's wallet, can have it emitted. */
export const notificationKind: OrderKind<Notification, null, NotificationReply> = {
  name: NAME,
  queue: 'mint',
  orders: {
    label: 'chainNotifications',
    table: chainNotifications,
    statuses: ORDER_STATUS,
    columns: { txHash: chainNotifications.txHash, gasUsed: chainNotifications.notificationGasUsed },
  },
  idleMinutes: { waiting: 5, signed: 10 },
  resource: {
    path: '/chain-notifications',
    scope: 'mint',
    tag: 'Metadata',
    name: 'Chain notification',
    reply: ({ order }, progress) => notificationReply({ ...order, progress }),
  },
  events: {
    types: {
      confirmed: {
        type: 'notification.confirmed',
        when: 'The chain has the event that the metadata of a token has changed',
      },
      failed: { type: 'notification.failed', when: 'A chain notification is FAILED' },
      cancelled: { type: 'notification.cancelled', when: 'A chain notification is CANCELLED' },
    },
    data: notificationReplySchema,
    reply: ({ claim, result }, { gasUsed, ...end }) =>
      notificationReply({ ...claim.order, ...end, status: ORDER_STATUS[result], notificationGasUsed: gasUsed }),
  },
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),
  dependency: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,
  ended: () => [],
  reopened: () => [],

  gasCeiling: () => GAS_CEILING,

  load: (db, condition) => loadNotifications(db, NAME, condition),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeNotification(order) }),

  readReceipt: ({ order }, { logs }) =>
    isAnnounced(order, logs)
      ? { effect: null }
      : { failure: 'The transaction was mined, but its logs do not contain the MetadataUpdate of the token' },
};
