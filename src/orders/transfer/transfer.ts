import { showsMove } from '../../chains/token-move.ts';
import { markOrdersSent } from '../../platform/database/order-table.ts';
import { transferOrders } from '../../platform/database/schema.ts';
import type { Operation, Outcome } from '../../transactions/operation.ts';
import { orderEndOf } from '../../transactions/order-end.ts';
import { blockedOrders } from '../../relay/forward-requests.store.ts';
import { buildRelayCall, endRelays, reasonOfNoEffect, wakeSuccessors } from '../../relay/relay.ts';
import { transferReply } from './transfer-reply.ts';
import { claimTransfers, endTransfers } from './transfers.store.ts';
import type { RelayedTransfer, TransferEnd } from './transfers.store.ts';

/**
 * A transfer that its holder signed and the account's wallet pays for: PENDING -> PROCESSING -> SENT -> CONFIRMED or FAILED.
 * Requests of one signer are carried out in the order of their nonces.
 */
export const transfer: Operation<RelayedTransfer, null> = {
  kind: 'transfer',

  waiting: ({ db }, orderIds) => blockedOrders(db, orderIds),

  claim: ({ db, clock }, orderIds) => claimTransfers(db, orderIds, new Date(clock.now())),

  buildCall: buildRelayCall,

  async interpret(services, claim, receipt) {
    return showsMove(claim.order, receipt.logs) ? null : { failure: await reasonOfNoEffect(services, claim, receipt) };
  },

  markSent: ({ db, clock }, orderIds) => markOrdersSent(db, transferOrders, orderIds, new Date(clock.now())),

  settle({ db }, settlementId, outcomes) {
    return {
      statements: [endTransfers(db, settlementId, outcomes.map(endOf)), endRelays(db, settlementId, outcomes)],
      events: outcomes.map((outcome) => ({
        type: outcome.result === 'succeeded' ? 'transfer.confirmed' : 'transfer.failed',
        accountId: outcome.claim.account.id,
        orderId: outcome.claim.orderId,
        at: outcome.at,
        data: transferReply({ ...outcome.claim.order, ...endOf(outcome) }),
      })),
    };
  },

  async settled(services, outcomes) {
    await wakeSuccessors(
      services,
      outcomes.map(({ claim }) => claim.orderId),
    );
  },
};

function endOf(outcome: Outcome<RelayedTransfer, null>): TransferEnd {
  const { gasUsed, ...end } = orderEndOf(outcome);
  return { ...end, transferGasUsed: gasUsed };
}
