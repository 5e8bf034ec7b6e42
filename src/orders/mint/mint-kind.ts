import { encodeMint, mintedToken } from './mint-call.ts';
import { mintingOrders } from '../../platform/database/schema.ts';
import type { OrderKind, OrderTable, Outcome } from '../../engine/order-kind.ts';
import { ofBatch } from '../../engine/transactions.ts';
import { linkMetadata, unlinkMetadata } from '../../catalog/metadata/metadata.store.ts';
import { orderReply } from './order-reply.ts';
import { loadMintOrders } from './minting-orders.store.ts';
import type { MintOrder } from './minting-orders.store.ts';

/** What the logs of a mined mint say was minted. */
export interface Minted {
  /** Decimal. */
  readonly tokenId: string;
}

const NAME = 'mint';

export const mintingOrderTable = {
  table: mintingOrders,
  statuses: {
    waiting: 'PENDING',
    processing: 'PROCESSING',
    sent: 'SENT',
    confirmed: 'CONFIRMED',
    failed: 'FAILED',
    cancelled: 'CANCELLED',
  },
  columns: { txHash: 'tx_hash', gasUsed: 'minting_gas_used' },
} as const satisfies OrderTable;

/** A mint that the account's own wallet makes. Only the contract's owner can mint, so nobody else brings it about. */
export const mintKind: OrderKind<MintOrder, Minted> = {
  name: NAME,
  queue: 'mint',
  orders: mintingOrderTable,
  idleMinutes: { waiting: 5, signed: 10 },
  events: { confirmed: 'mint.confirmed', failed: 'mint.failed', cancelled: 'mint.cancelled' },
  dependency: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,

  gasCeiling({ tokenUri }, settings) {
    if (tokenUri === null) return BigInt(settings.MINT_GAS_CEILING);
    const words = Math.ceil(new TextEncoder().encode(tokenUri).length / 32);
    return BigInt(settings.CERTIFICATE_GAS_CEILING + 25_000 * words);
  },

  load: (db, condition) => loadMintOrders(db, NAME, condition),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeMint(order) }),

  readReceipt({ order }, { logs }) {
    const tokenId = mintedToken(order, logs);
    return tokenId === undefined
      ? { failure: 'The transaction was mined, but its logs have no Transfer of the token that was ordered' }
      : { effect: { tokenId } };
  },

  reply: ({ claim, result }, { gasUsed, ...end }) =>
    orderReply({ ...claim.order, ...end, status: mintingOrderTable.statuses[result], mintingGasUsed: gasUsed }),

  ended: (db, batchId, outcomes) => [
    linkMetadata(db, (orderId) => ofBatch(batchId, NAME, orderId), outcomes.flatMap(linkOf)),
  ],

  reopened: (db, batchId, claims) => [
    unlinkMetadata(
      db,
      (orderId) => ofBatch(batchId, NAME, orderId),
      claims.map(({ orderId, order }) => ({ orderId, metadataId: order.metadataId })),
    ),
  ],
};

function linkOf(outcome: Outcome<MintOrder, Minted>) {
  if (outcome.result !== 'confirmed') return [];
  const { order } = outcome.claim;
  return [
    {
      orderId: order.id,
      metadataId: order.metadataId,
      contractAddress: order.contractAddress,
      tokenId: outcome.effect.tokenId,
      at: outcome.at,
    },
  ];
}
