import { zeroAddress } from 'viem';
import { refreshTokens } from '../../catalog/metadata/refresh-tokens.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import type { OrderKind } from '../../engine/order-kind.ts';
import { burnOrders } from '../../platform/database/schema.ts';
import { holderRequestKind } from '../../relay/holder-request-kind.ts';
import { burnReply, burnReplySchema } from './burn-reply.ts';
import type { BurnReply } from './burn-reply.ts';
import { loadBurns } from './burns.store.ts';
import type { RelayedBurn } from './burns.store.ts';

const NAME = 'burn';

/** A burn that the token's holder signed and the account's wallet pays for. */
export const burnKind: OrderKind<RelayedBurn, null, BurnReply> = {
  ...holderRequestKind(NAME, (order) => ({ ...order, to: zeroAddress })),
  name: NAME,
  orders: {
    label: 'burns',
    table: burnOrders,
    statuses: ORDER_STATUS,
    columns: { txHash: burnOrders.txHash, gasUsed: burnOrders.burnGasUsed },
  },
  resource: {
    path: '/burn',
    scope: 'transfer',
    tag: 'Gasless transfer',
    name: 'Burn order',
    reply: ({ order }, progress) => burnReply({ ...order, progress }),
  },
  events: {
    types: {
      confirmed: { type: 'burn.confirmed', when: 'A burn order is CONFIRMED' },
      failed: { type: 'burn.failed', when: 'A burn order is FAILED' },
      cancelled: { type: 'burn.cancelled', when: 'A burn order is CANCELLED' },
    },
    data: burnReplySchema,
    reply: ({ claim, result }, { gasUsed, ...end }) =>
      burnReply({ ...claim.order, ...end, status: ORDER_STATUS[result], burnGasUsed: gasUsed }),
  },
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),
  load: (db, condition) => loadBurns(db, NAME, condition),

  settled: (services, outcomes) =>
    refreshTokens(
      services,
      outcomes.filter(({ result }) => result === 'confirmed').map(({ claim }) => claim.order),
    ),
};
