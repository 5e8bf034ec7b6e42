import { encodeFunctionData, isAddressEqual, parseEventLogs } from 'viem';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { markOrdersSent } from '../../platform/database/order-table.ts';
import { ownershipTransfers } from '../../platform/database/schema.ts';
import type { Operation, Outcome } from '../../transactions/operation.ts';
import { orderEndOf } from '../../transactions/order-end.ts';
import { ownershipTransferReply } from './ownership-transfer-reply.ts';
import { claimOwnershipTransfers, endOwnershipTransfers } from './ownership-transfers.store.ts';
import type { OwnershipTransfer, OwnershipTransferEnd } from './ownership-transfers.store.ts';

/** The hand-over of a contract to another owner; every kind of contract has the same function and event for it. */
export const transferOwnership: Operation<OwnershipTransfer, null> = {
  kind: 'transfer-ownership',

  claim: ({ db, clock }, orderIds) => claimOwnershipTransfers(db, orderIds, new Date(clock.now())),

  async buildCall(_, { order }) {
    const data = encodeFunctionData({
      abi: standard721.abi,
      functionName: 'transferOwnership',
      args: [order.newOwnerAddress],
    });
    return { to: order.contractAddress, data };
  },

  async interpret(_, { order }, receipt) {
    const done = parseEventLogs({ abi: standard721.abi, eventName: 'OwnershipTransferred', logs: receipt.logs }).some(
      ({ address, args }) =>
        isAddressEqual(address, order.contractAddress) && isAddressEqual(args.newOwner, order.newOwnerAddress),
    );
    return done ? null : { failure: 'The transaction was mined, but its logs do not show the new owner' };
  },

  markSent: ({ db, clock }, orderIds) => markOrdersSent(db, ownershipTransfers, orderIds, new Date(clock.now())),

  settle({ db }, settlementId, outcomes) {
    return {
      statements: endOwnershipTransfers(db, settlementId, outcomes.map(endOf)),
      events: outcomes.map((outcome) => ({
        type: outcome.result === 'succeeded' ? 'ownership.transferred' : 'ownership.failed',
        accountId: outcome.claim.account.id,
        orderId: outcome.claim.orderId,
        at: outcome.at,
        data: ownershipTransferReply({ ...outcome.claim.order, ...endOf(outcome) }),
      })),
    };
  },
};

function endOf(outcome: Outcome<OwnershipTransfer, null>): OwnershipTransferEnd {
  const { gasUsed, ...end } = orderEndOf(outcome);
  return { ...end, transferGasUsed: gasUsed };
}
