import { followingDependency } from '../following-orders.store.ts';
import { shownAs } from '../shown-as.ts';
import { defineOrder, type ServiceKind } from '../define-order.ts';
import { z } from 'zod';
import {
  linkMetadata,
  lockLinked,
  unlinkMetadata,
  type MetadataLink,
  type NewlyLinked,
} from '../../catalog/metadata/token-documents.store.ts';
import { cacheLinkedDocuments, refreshRelinked } from '../../catalog/metadata/public-document.ts';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES } from '../../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  contractAddressReply,
  gasUsedReply,
  tokenIdReply,
  txHashReply,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import type { Outcome, Parties } from '../../engine/order-kind.ts';
import { ofBatch } from '../../engine/transactions.store.ts';
import type { Rows, Statement } from '../../platform/database/client.ts';
import { endpointsOf } from '../../webhooks/events.store.ts';
import { wakeEndpoints } from '../../webhooks/wake-endpoints.ts';
import { noticesOfExpired } from './claims/expired-claims.store.ts';
import { receiverBound } from './claims/receiver-code.ts';
import { bundledMints } from './bundled-mints.ts';
import { encodeMint, mintedToken } from './mint-call.ts';
import { mintReading, type MintingOrder, type MintOrder } from './minting-orders.store.ts';
import { explainExistingToken } from './token-exists.ts';
import { MINT, mintingOrders } from '../order-forms.ts';

/** The MintingOrder response form. A field without a value yet is null. */
export const orderReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    receiverAddress: addressReply.meta({
      description: 'Who gets the token; the zero address while nobody has claimed it by its link',
    }),
    tokenId: tokenIdReply,
    amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
    metadataId: recordIdField.meta({ description: "Id of the token's metadata" }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    mode: z.enum(['direct', 'relay']).meta({
      description: "direct: the account's wallet mints. relay: the contract's owner signed, the account's wallet pays",
    }),
    txHash: txHashReply.nullable(),
    mintingGasUsed: gasUsedReply.nullable().meta({
      description:
        "Units of gas: of a transaction that carried out several orders, this one's share; null until it is mined",
    }),
    ...resultFields,
  })
  .meta({ id: 'MintingOrder' });

export type OrderReply = z.infer<typeof orderReplySchema>;

export function orderReply(order: MintingOrder): OrderReply {
  return {
    id: order.id,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    receiverAddress: order.receiverAddress,
    tokenId: order.tokenId,
    amount: order.amount,
    metadataId: order.metadataId,
    status: order.status,
    mode: order.mode,
    txHash: order.txHash,
    mintingGasUsed: order.gasUsed,
    ...resultReply(order),
  };
}

/** The effect of a mint, from the logs. */
export interface Minted {
  /** Decimal. */
  readonly tokenId: string;
}

export function mintParties({
  contractAddress,
  receiverAddress,
}: Pick<MintOrder, 'contractAddress' | 'receiverAddress'>): Parties {
  return { contract: contractAddress, receivers: [receiverAddress] };
}

/** How the API shows mints of both kinds. */
export const shownAsMint = shownAs({
  stored: mintingOrders,
  label: 'minting',
  path: '/minting',
  scope: 'mint',
  tag: 'Minting',
  name: 'Minting order',
  schema: orderReplySchema,
  reply: orderReply,
  types: {
    confirmed: { type: 'mint.confirmed', when: 'A mint order is CONFIRMED, direct or relayed' },
    failed: { type: 'mint.failed', when: 'A mint order is FAILED' },
    cancelled: { type: 'mint.cancelled', when: 'A mint order is CANCELLED' },
  },
});

/** The statements that link metadata to minted tokens. */
export type Linking = { readonly linked: Rows<NewlyLinked> };

/** The part of a mint kind that links metadata to minted tokens. */
export function metadataLinking(
  kind: string,
): Pick<ServiceKind<MintOrder, Minted, OrderReply, Linking>, 'locks' | 'ended' | 'reopened' | 'settled'> {
  return {
    locks: (db, claims) =>
      lockLinked(
        db,
        claims.map(({ order }) => order),
      ),
    ended: (db, batchId, outcomes) => ({
      linked: linkMetadata(db, (orderId) => ofBatch(batchId, kind, orderId), outcomes.flatMap(linkOf)),
    }),
    reopened: (db, batchId, claims) => ({
      unlinked: unlinkMetadata(
        db,
        (orderId) => ofBatch(batchId, kind, orderId),
        claims.map(({ orderId, order }) => ({ orderId, metadataId: order.metadataId })),
      ),
    }),
    settled: async (services, _outcomes, { linked }) => {
      await refreshRelinked(services, linked);
      await cacheLinkedDocuments(services, linked);
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

const linking = metadataLinking(MINT);

/** Gas per 32 bytes of a certificate's URI: a new storage slot plus overhead. */
const GAS_PER_WORD = 25_000;

/** The statement that notifies of claims that have expired. */
type Notifying = { readonly notices: Statement | undefined };

/** A mint by the account's own wallet. Only the contract's owner can mint, so no third party can have its effect. */
export const mintKind = defineOrder<MintOrder, Minted, OrderReply, Linking & Notifying>({
  name: MINT,
  queue: 'mint',
  ...shownAsMint,
  parties: mintParties,
  dependency: followingDependency,
  bundling: bundledMints,

  gasCeiling({ tokenUri }, settings) {
    if (tokenUri === null) return BigInt(settings.MINT_GAS_CEILING);
    const words = Math.ceil(new TextEncoder().encode(tokenUri).length / 32);
    return BigInt(settings.CERTIFICATE_GAS_CEILING + GAS_PER_WORD * words);
  },

  reading: mintReading,

  call: ({ order }) => ({
    to: order.contractAddress,
    data: encodeMint(order),
    ...(order.isClaim ? { bound: receiverBound(order) } : {}),
  }),

  readReceipt({ order }, { logs }) {
    const tokenId = mintedToken(order, logs);
    return tokenId === undefined
      ? { failure: 'The transaction was mined, but its logs do not contain the ordered Transfer' }
      : { effect: { tokenId } };
  },

  explain: ({ reads }, { order }, reason) => explainExistingToken(reads, order, reason),

  waiting: {
    held: 'Its receiver must claim it',
    result: 'cancelled',
    overdue: 'Not claimed by',
    cancelled: 'Cancelled before it was claimed',
  },

  ended: (db, batchId, outcomes) => ({
    ...linking.ended(db, batchId, outcomes),
    notices: noticesOfExpired(db, batchId, outcomes),
  }),
  locks: linking.locks,
  reopened: linking.reopened,
  async settled(services, outcomes, results) {
    if (results.notices !== undefined) wakeEndpoints(services, endpointsOf(results.notices));
    await linking.settled?.(services, outcomes, results);
  },
});
