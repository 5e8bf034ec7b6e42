import { refreshDocuments } from '../../catalog/metadata/public-document.ts';
import { linkMetadata } from '../../catalog/metadata/metadata.store.ts';
import { encodeMint, mintedToken } from './mint-call.ts';
import { markOrdersSent } from '../../platform/database/order-table.ts';
import { mintingOrders } from '../../platform/database/schema.ts';
import type { Operation, Outcome } from '../../transactions/operation.ts';
import { orderEndOf } from '../../transactions/order-end.ts';
import { bySettlement } from '../../platform/database/settlement.ts';
import { orderReply } from './order-reply.ts';
import { claimOrders, endOrders } from './minting-orders.store.ts';
import type { MintOrder, OrderEnd } from './minting-orders.store.ts';
import { explainExistingToken } from './token-exists.ts';

/** What the logs of a mined mint say was minted. */
export interface Minted {
  /** Decimal. */
  readonly tokenId: string;
}

/** A mint that the account's own wallet makes: PENDING -> PROCESSING -> SENT -> CONFIRMED or FAILED. */
export const mint: Operation<MintOrder, Minted> = {
  kind: 'mint',

  claim: ({ db, clock }, orderIds) => claimOrders(db, orderIds, 'direct', new Date(clock.now())),

  async buildCall(_, { order }) {
    return { to: order.contractAddress, data: encodeMint(order) };
  },

  async interpret(_, { order }, receipt) {
    const tokenId = mintedToken(order, receipt.logs);
    return tokenId === undefined
      ? { failure: 'The transaction was mined, but its logs have no Transfer of the token that was ordered' }
      : { tokenId };
  },

  explainRevert: explainExistingToken,

  markSent: ({ db, clock }, orderIds) => markOrdersSent(db, mintingOrders, orderIds, new Date(clock.now())),

  settle({ db }, settlementId, outcomes) {
    return {
      statements: [
        endOrders(db, settlementId, outcomes.map(endOf)),
        linkMetadata(db, (orderId) => bySettlement(settlementId, orderId), outcomes.flatMap(linkOf)),
      ],
      events: outcomes.map((outcome) => ({
        type: outcome.result === 'succeeded' ? 'mint.confirmed' : 'mint.failed',
        accountId: outcome.claim.account.id,
        orderId: outcome.claim.orderId,
        at: outcome.at,
        data: orderReply({ ...outcome.claim.order, ...endOf(outcome) }),
      })),
    };
  },

  settled: (services, outcomes) => refreshDocuments(services, outcomes.flatMap(linkOf)),
};

function linkOf(outcome: Outcome<MintOrder, Minted>) {
  if (outcome.result !== 'succeeded') return [];
  const { order } = outcome.claim;
  return [
    {
      orderId: order.id,
      metadataId: order.metadataId,
      contractAddress: order.contractAddress,
      tokenId: outcome.success.tokenId,
      at: outcome.at,
    },
  ];
}

function endOf(outcome: Outcome<MintOrder, Minted>): OrderEnd {
  const { gasUsed, ...end } = orderEndOf(outcome);
  return { ...end, mintingGasUsed: gasUsed };
}
