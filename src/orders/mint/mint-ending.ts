import {
  linkMetadata,
  linkedDocuments,
  lockLinkedContracts,
  unlinkMetadata,
} from '../../catalog/metadata/token-documents.store.ts';
import type { MetadataLink } from '../../catalog/metadata/token-documents.store.ts';
import { cacheLinkedDocuments, refreshRelinked } from '../../catalog/metadata/public-document.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import type { Parties } from '../../engine/account-limits.ts';
import type { OrderEvents, OrderKind, OrderResource, OrderTable, Outcome } from '../../engine/order-kind.ts';
import { ofBatch } from '../../engine/transactions.store.ts';
import { mintingOrders } from '../../platform/database/schema.ts';
import type { MintOrder } from './minting-orders.store.ts';
import { orderReply, orderReplySchema } from './order-reply.ts';
import type { OrderReply } from './order-reply.ts';

/** The effect of a mint, from the logs. */
export interface Minted {
  /** Decimal. */
  readonly tokenId: string;
}

export const mintingOrderTable: OrderTable = {
  label: 'minting',
  table: mintingOrders,
  statuses: ORDER_STATUS,
  columns: { txHash: mintingOrders.txHash, gasUsed: mintingOrders.mintingGasUsed },
};

export const mintResource: OrderResource<MintOrder, OrderReply> = {
  path: '/minting',
  scope: 'mint',
  tag: 'Minting',
  name: 'Minting order',
  reply: ({ order }, progress) => orderReply({ ...order, progress }),
};

export function mintParties({
  contractAddress,
  receiverAddress,
}: Pick<MintOrder, 'contractAddress' | 'receiverAddress'>): Parties {
  return { contract: contractAddress, receivers: [receiverAddress] };
}

export const mintEvents: OrderEvents<MintOrder, Minted, OrderReply> = {
  types: {
    confirmed: { type: 'mint.confirmed', when: 'A mint order is CONFIRMED, direct or relayed' },
    failed: { type: 'mint.failed', when: 'A mint order is FAILED' },
    cancelled: { type: 'mint.cancelled', when: 'A mint order is CANCELLED' },
  },
  data: orderReplySchema,
  reply: ({ claim, result }, { gasUsed, ...end }) =>
    orderReply({ ...claim.order, ...end, status: ORDER_STATUS[result], mintingGasUsed: gasUsed }),
};

/** The part of a mint kind that links metadata to minted tokens. */
export function metadataLinking(
  kind: string,
): Pick<OrderKind<MintOrder, Minted, OrderReply>, 'ended' | 'reopened' | 'settled'> {
  return {
    ended: (db, batchId, outcomes) => {
      const links = outcomes.flatMap(linkOf);
      return [lockLinkedContracts(db, links), linkMetadata(db, (orderId) => ofBatch(batchId, kind, orderId), links)];
    },
    reopened: (db, batchId, claims) => [
      unlinkMetadata(
        db,
        (orderId) => ofBatch(batchId, kind, orderId),
        claims.map(({ orderId, order }) => ({ orderId, metadataId: order.metadataId })),
      ),
    ],
    settled: async (services, _outcomes, [, linked]) => {
      const documents = linkedDocuments(linked);
      await refreshRelinked(services, documents);
      await cacheLinkedDocuments(services, documents);
    },
  };
}

function linkOf(outcome: Outcome<MintOrder, Minted>): MetadataLink[] {
  if (outcome.result !== 'confirmed') return [];
  const { order } = outcome.claim;
  return [
    {
      orderId: order.id,
      metadataId: order.metadataId,
      contractId: order.contractId,
      ercStandard: order.ercStandard,
      contractAddress: order.contractAddress,
      tokenId: outcome.effect.tokenId,
      at: outcome.at,
    },
  ];
}
