import { hasTransferLog, type TokenTransfer } from '../chains/token-transfer.ts';
import type { OrderKind } from '../engine/order-kind.ts';
import { checkRelay, relayCall, relayGasCeiling, explainRelay, failureOfRelay } from './relay-call.ts';
import { findForeignExecution } from './foreign-execution.ts';
import { endForwardRequests, reopenForwardRequests, signerDependency, type Relayed } from './forward-requests.store.ts';

/** The members of a kind that are the same whatever a holder signs about its tokens. */
type Shared =
  | 'queue'
  | 'dependency'
  | 'check'
  | 'gasCeiling'
  | 'call'
  | 'readReceipt'
  | 'explain'
  | 'findForeignEffect'
  | 'ended'
  | 'reopened';

/**
 * The part of a kind whose orders are requests that a holder signed about its tokens and the account's wallet pays for.
 * @param name The kind's name.
 * @param movement The transfer that the contract must report; a burn's is to the zero address.
 */
export function holderRequestKind<Order extends Relayed, Reply>(
  name: string,
  movement: (order: Order) => TokenTransfer,
): Pick<OrderKind<Order, null, Reply>, Shared> {
  return {
    queue: 'transfer',
    dependency: signerDependency,
    check: checkRelay,

    gasCeiling: (order, settings) => relayGasCeiling(order, settings.RELAY_GAS_CEILING),

    call: ({ order }) => relayCall(order),

    readReceipt: ({ order }, receipt) =>
      hasTransferLog(movement(order), receipt.logs) ? { effect: null } : { failure: failureOfRelay(order, receipt) },

    explain: (context, { order }, reason, receipt) => explainRelay(context, order, reason, receipt),

    findForeignEffect: (context, claim) =>
      findForeignExecution(context, claim, (logs) => (hasTransferLog(movement(claim.order), logs) ? null : undefined)),

    ended: (db, batchId, outcomes) => ({ requests: endForwardRequests(db, batchId, name, outcomes) }),
    reopened: (db, batchId) => ({ requests: reopenForwardRequests(db, batchId, name) }),
  };
}
