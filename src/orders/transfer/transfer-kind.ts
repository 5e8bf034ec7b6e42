import { hasTransferLog } from '../../chains/token-transfer.ts';
import type { OrderKind } from '../../engine/order-kind.ts';
import { checkRelay } from '../../relay/check-relay.ts';
import { findForeignExecution } from '../../relay/foreign-execution.ts';
import { endForwardRequests, reopenForwardRequests, signerDependency } from '../../relay/forward-requests.store.ts';
import { relayCall, relayGasCeiling } from '../../relay/relay-call.ts';
import { explainRelay, failureOfRelay } from '../../relay/relay-receipt.ts';
import type { TransferReply } from './transfer-reply.ts';
import { transferEventData, transferOrderTable, transferResource } from './transfer-resource.ts';
import { loadTransfers } from './transfers.store.ts';
import type { RelayedTransfer } from './transfers.store.ts';

const NAME = 'transfer';

/** A transfer that its holder signed and the account's wallet pays for. */
export const transferKind: OrderKind<RelayedTransfer, null, TransferReply> = {
  name: NAME,
  queue: 'transfer',
  orders: transferOrderTable,
  idleMinutes: { waiting: 5, signed: 10 },
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
  dependency: signerDependency,
  check: checkRelay,
  settled: null,
  whenIdle: null,

  gasCeiling: (order, settings) => relayGasCeiling(order, settings.RELAY_GAS_CEILING),

  load: (db, condition) => loadTransfers(db, NAME, condition),

  call: ({ order }) => relayCall(order),

  readReceipt: ({ order }, receipt) =>
    hasTransferLog(order, receipt.logs) ? { effect: null } : { failure: failureOfRelay(order, receipt) },

  explain: (context, { order }, reason, receipt) => explainRelay(context, order, reason, receipt),

  findForeignEffect: ({ reads }, { order }) =>
    findForeignExecution(reads, order, (logs) => (hasTransferLog(order, logs) ? null : undefined)),

  ended: (db, batchId, outcomes) => [endForwardRequests(db, batchId, NAME, outcomes)],
  reopened: (db, batchId) => [reopenForwardRequests(db, batchId, NAME)],
};
