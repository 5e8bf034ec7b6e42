import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import { z } from 'zod';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
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
import type { OrderEvents, OrderReading } from '../../engine/order-kind.ts';
import type { Relayed } from '../../relay/forward-requests.store.ts';
import { holderRequestKind } from '../../relay/holder-request-kind.ts';
import { signedReading } from '../signed-orders.store.ts';
import type { OrderOf } from '../stored-orders.ts';
import { TRANSFER, transferOrders } from '../order-forms.ts';

export type TransferOrder = OrderOf<typeof transferOrders>;

/** An order with the request that its signer signed. */
export type RelayedOrder = TransferOrder & Relayed;

type RelayedTransfer = RelayedOrder & TokenTransfer;

/** The TransferOrder response form. A field without a value yet is null. */
export const transferReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: chainIdReply,
    purpose: z.enum(['transfer', 'cancel']).meta({
      description:
        'cancel: it only uses up the nonce of a request that its signer has given up; to, tokenId, amount and ercStandard are null',
    }),
    contractAddress: contractAddressReply,
    from: addressReply.meta({ description: 'Who holds the token and signed the request' }),
    to: addressReply.nullable().meta({ description: 'Who gets the token; null for a cancel' }),
    tokenId: tokenIdReply.nullable(),
    amount: z.int().nullable().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
    ercStandard: z.enum(['721', '1155']).nullable().meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    txHash: txHashReply.nullable(),
    transferGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'TransferOrder' });

export type TransferReply = z.infer<typeof transferReplySchema>;

export function transferReply(order: TransferOrder): TransferReply {
  return {
    id: order.id,
    chainId: order.chainId,
    purpose: order.purpose,
    contractAddress: order.contractAddress,
    from: order.from,
    to: order.to,
    tokenId: order.tokenId,
    amount: order.amount,
    ercStandard: order.ercStandard,
    status: order.status,
    txHash: order.txHash,
    transferGasUsed: order.gasUsed,
    ...resultReply(order),
  };
}

/** How the API shows the kinds of transfer orders. */
export function shownAsTransfer(types: OrderEvents<TransferOrder, unknown, TransferReply>['types']) {
  return shownAs({
    stored: transferOrders,
    label: 'transfers',
    path: '/transfer',
    scope: 'transfer',
    tag: 'Gasless transfer',
    name: 'Transfer order',
    schema: transferReplySchema,
    reply: transferReply,
    types,
  });
}

/** A transfer that its holder signed and the account's wallet pays for. */
export const transferKind = defineOrder<RelayedTransfer, null, TransferReply>({
  ...holderRequestKind(TRANSFER, (order) => order),
  name: TRANSFER,
  ...shownAsTransfer({
    confirmed: { type: 'transfer.confirmed', when: 'A transfer order is CONFIRMED' },
    failed: { type: 'transfer.failed', when: 'A transfer order is FAILED' },
    cancelled: { type: 'transfer.cancelled', when: 'A transfer order is CANCELLED' },
  }),
  parties: ({ contractAddress, to }) => ({ contract: contractAddress, receivers: [to] }),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- acceptance stores the token of each order of this kind
  reading: signedReading(transferOrders) as OrderReading<RelayedTransfer>,
});
