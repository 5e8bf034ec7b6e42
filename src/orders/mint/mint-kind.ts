import type { OrderKind } from '../../engine/order-kind.ts';
import { KIND_OF_MODE } from './kind-of-mode.ts';
import { encodeMint, mintedToken } from './mint-call.ts';
import { metadataLinking, mintEvents, mintParties, mintResource, mintingOrderTable } from './mint-ending.ts';
import type { Minted } from './mint-ending.ts';
import { loadMintOrders } from './minting-orders.store.ts';
import type { MintOrder } from './minting-orders.store.ts';
import type { OrderReply } from './order-reply.ts';
import { explainExistingToken } from './token-exists.ts';

const NAME = KIND_OF_MODE.direct;

/** Gas per 32 bytes of a certificate's URI: a new storage slot plus overhead. */
const GAS_PER_WORD = 25_000;

/** A mint by the account's own wallet. Only the contract's owner can mint, so no third party can have its effect. */
export const mintKind: OrderKind<MintOrder, Minted, OrderReply> = {
  name: NAME,
  queue: 'mint',
  orders: mintingOrderTable,
  idleMinutes: { waiting: 5, signed: 10 },
  resource: mintResource,
  parties: mintParties,
  events: mintEvents,
  dependency: null,
  check: null,
  findForeignEffect: null,

  gasCeiling({ tokenUri }, settings) {
    if (tokenUri === null) return BigInt(settings.MINT_GAS_CEILING);
    const words = Math.ceil(new TextEncoder().encode(tokenUri).length / 32);
    return BigInt(settings.CERTIFICATE_GAS_CEILING + GAS_PER_WORD * words);
  },

  load: (db, condition) => loadMintOrders(db, NAME, condition),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeMint(order) }),

  readReceipt({ order }, { logs }) {
    const tokenId = mintedToken(order, logs);
    return tokenId === undefined
      ? { failure: 'The transaction was mined, but its logs do not contain the ordered Transfer' }
      : { effect: { tokenId } };
  },

  explain: ({ reads }, { order }, reason) => explainExistingToken(reads, order, reason),

  ...metadataLinking(NAME),
};
