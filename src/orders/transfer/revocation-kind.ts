import { defineOrder } from '../define-order.ts';
import { isAddressEqual, numberToHex, type Log } from 'viem';
import { checkRelay, relayCall, relayGasCeiling } from '../../relay/relay-call.ts';
import { findForeignExecution } from '../../relay/foreign-execution.ts';
import { executionReport } from '../../relay/forward-request.ts';
import {
  endForwardRequests,
  reopenForwardRequests,
  signedRequestOf,
  signerDependency,
} from '../../relay/forward-requests.store.ts';
import { signedReading } from '../signed-orders.store.ts';
import { shownAsTransfer, type RelayedOrder, type TransferReply } from './transfer-kind.ts';
import { REVOCATION, transferOrders } from '../order-forms.ts';

/** The gas of every revocation: several times what the forwarder's `cancel` needs. */
export const REVOCATION_GAS = 60_000;

/** What `isTrustedForwarder` returns, which no function of a token contract with an effect does. */
const TRUE = numberToHex(1, { size: 32 });

/** Whether a third party's transaction has executed this request, and not another one with its nonce. */
function isExecutedIn(order: RelayedOrder, logs: readonly Log[]): boolean {
  const { forwarder, request } = signedRequestOf(order);
  const report = executionReport(forwarder, request, logs);
  return report !== undefined && (isAddressEqual(request.to, forwarder.address) || report.returndata === TRUE);
}

/**
 * A request that its signer signed to use up a nonce. It moves no token, and its effect is that the forwarder has
 * counted the nonce.
 */
export const revocationKind = defineOrder<RelayedOrder, null, TransferReply>({
  name: REVOCATION,
  queue: 'transfer',
  ...shownAsTransfer({
    confirmed: { type: 'revocation.confirmed', when: 'A transfer order with `purpose` cancel is CONFIRMED' },
    failed: { type: 'revocation.failed', when: 'A transfer order with `purpose` cancel is FAILED' },
    cancelled: { type: 'revocation.cancelled', when: 'A transfer order with `purpose` cancel is CANCELLED' },
  }),
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),
  dependency: signerDependency,
  check: checkRelay,

  gasCeiling: (order) => relayGasCeiling(order, REVOCATION_GAS),

  reading: signedReading(transferOrders),

  call: ({ order }) => relayCall(order),

  readReceipt({ order }, { logs }) {
    const { forwarder, request } = signedRequestOf(order);
    // The forwarder counts the nonce whether the inner call succeeds or not.
    return executionReport(forwarder, request, logs) === undefined
      ? { failure: 'The transaction was mined, but the forwarder did not execute the request' }
      : { effect: null };
  },

  findForeignEffect: (context, claim) =>
    findForeignExecution(context, claim, (logs) => (isExecutedIn(claim.order, logs) ? null : undefined)),

  ended: (db, batchId, outcomes) => ({ requests: endForwardRequests(db, batchId, REVOCATION, outcomes) }),
  reopened: (db, batchId) => ({ requests: reopenForwardRequests(db, batchId, REVOCATION) }),
});
