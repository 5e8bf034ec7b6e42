import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import { zeroAddress } from 'viem';
import { z } from 'zod';
import { refreshTokens } from '../../catalog/metadata/refresh-tokens.ts';
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
import type { Relayed } from '../../relay/forward-requests.store.ts';
import { holderRequestKind } from '../../relay/holder-request-kind.ts';
import { signedReading } from '../signed-orders.store.ts';
import type { OrderOf } from '../stored-orders.ts';
import { burnOrders } from '../order-forms.ts';

export type BurnOrder = OrderOf<typeof burnOrders>;

/** The response form of a burn. A field without a value yet is null. */
export const burnReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    from: addressReply.meta({ description: 'Who holds the token and signed the request' }),
    tokenId: tokenIdReply,
    amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    txHash: txHashReply.nullable(),
    burnGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'BurnOrder' });

export type BurnReply = z.infer<typeof burnReplySchema>;

export function burnReply(order: BurnOrder): BurnReply {
  const { id, chainId, contractAddress, from, tokenId, amount, ercStandard, status, txHash } = order;
  const fields = { id, chainId, contractAddress, from, tokenId, amount, ercStandard, status, txHash };
  return { ...fields, burnGasUsed: order.gasUsed, ...resultReply(order) };
}

const NAME = 'burn';

/** A burn that the token's holder signed and the account's wallet pays for. */
export const burnKind = defineOrder<BurnOrder & Relayed, null, BurnReply>({
  ...holderRequestKind(NAME, (order) => ({ ...order, to: zeroAddress })),
  name: NAME,
  ...shownAs({
    stored: burnOrders,
    label: 'burns',
    path: '/burn',
    scope: 'transfer',
    tag: 'Gasless transfer',
    name: 'Burn order',
    schema: burnReplySchema,
    reply: burnReply,
    types: {
      confirmed: { type: 'burn.confirmed', when: 'A burn order is CONFIRMED' },
      failed: { type: 'burn.failed', when: 'A burn order is FAILED' },
      cancelled: { type: 'burn.cancelled', when: 'A burn order is CANCELLED' },
    },
  }),
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),
  reading: signedReading(burnOrders),

  settled: (services, outcomes) =>
    refreshTokens(
      services,
      outcomes.filter(({ result }) => result === 'confirmed').map(({ claim }) => claim.order),
    ),
});
