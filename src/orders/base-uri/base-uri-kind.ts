import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import { encodeFunctionData, maxUint256, parseEventLogs, type Hex } from 'viem';
import { z } from 'zod';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { recordIdField } from '../../core/fields.ts';
import { lowerCase } from '../../core/lower-case.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES } from '../../platform/database/vocabulary/order-status.ts';
import { chainIdReply, contractAddressReply, gasUsedReply, txHashReply } from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import type { OrderOf } from '../stored-orders.ts';
import { baseUriChanges } from '../order-forms.ts';

export type BaseUriChange = OrderOf<typeof baseUriChanges>;

/** A change of a contract's base URI. A field without a value yet is null. */
export const baseUriChangeReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    contractId: recordIdField.meta({ description: 'Id of the contract' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    metadataBaseUri: z
      .string()
      .meta({ description: 'The base URI that was ordered', example: 'https://nft.example.com/metadata' }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    txHash: txHashReply.nullable(),
    baseUriGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'BaseUriChange' });

export type BaseUriChangeReply = z.infer<typeof baseUriChangeReplySchema>;

export function baseUriChangeReply(order: BaseUriChange): BaseUriChangeReply {
  return {
    id: order.id,
    contractId: order.contractId,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    metadataBaseUri: order.metadataBaseUri,
    status: order.status,
    txHash: order.txHash,
    baseUriGasUsed: order.gasUsed,
    ...resultReply(order),
  };
}

/** Both standard contracts have the same function. */
export function encodeBaseUriChange({ metadataBaseUri }: Pick<BaseUriChange, 'metadataBaseUri'>): Hex {
  return encodeFunctionData({ abi: standard721.abi, functionName: 'setBaseURI', args: [metadataBaseUri] });
}

/**
 * The change of a contract's base URI, under which its tokens have their URIs. Only the contract's owner, the account's
 * wallet, can make it.
 */
export const baseUriKind = defineOrder<BaseUriChange, null, BaseUriChangeReply>({
  name: 'base-uri',
  queue: 'deploy',
  ...shownAs({
    stored: baseUriChanges,
    label: 'baseUriChanges',
    path: '/contracts/base-uri',
    // Not `deploy`: it changes tokens that others hold already.
    scope: 'ownership',
    tag: 'Contracts',
    name: 'Base-uri change',
    schema: baseUriChangeReplySchema,
    reply: baseUriChangeReply,
    types: {
      confirmed: { type: 'base-uri.confirmed', when: 'A contract has its new base URI' },
      failed: { type: 'base-uri.failed', when: "A change of a contract's base URI is FAILED" },
      cancelled: { type: 'base-uri.cancelled', when: "A change of a contract's base URI is CANCELLED" },
    },
  }),
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),

  // A deployment writes a base URI, too.
  gasCeiling: (_, settings) => BigInt(settings.DEPLOYMENT_GAS_CEILING),

  call: ({ order }) => ({ to: order.contractAddress, data: encodeBaseUriChange(order) }),

  readReceipt({ order }, { logs }) {
    const isChanged = parseEventLogs({
      abi: standard721.abi,
      eventName: 'BatchMetadataUpdate',
      logs: [...logs],
    }).some(
      ({ address, args }) =>
        lowerCase(address) === order.contractAddress && args._fromTokenId === 0n && args._toTokenId === maxUint256,
    );
    return isChanged
      ? { effect: null }
      : { failure: 'The transaction was mined, but its logs do not contain the BatchMetadataUpdate of all tokens' };
  },
});
