import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import { encodeFunctionData, parseEventLogs, type Hex, type Log } from 'viem';
import { z } from 'zod';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { recordIdField } from '../../core/fields.ts';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES } from '../../platform/database/vocabulary/order-status.ts';
import {
  chainIdReply,
  contractAddressReply,
  gasUsedReply,
  tokenIdReply,
  txHashReply,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import type { OrderOf } from '../stored-orders.ts';
import { chainNotifications } from '../order-forms.ts';

export type Notification = OrderOf<typeof chainNotifications>;

/** A chain notification. A field without a value yet is null. */
export const notificationReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    contractId: recordIdField.meta({ description: 'Id of the contract' }),
    metadataId: recordIdField
      .nullable()
      .meta({ description: 'Id of the metadata of a token that has changed; null for a collection' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    tokenId: tokenIdReply.nullable().meta({ description: 'Token id, decimal; null for a collection' }),
    status: z.enum(ORDER_STATUSES).meta({ description: ORDER_STATUS_MEANING }),
    txHash: txHashReply.nullable(),
    notificationGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'ChainNotification' });

export type NotificationReply = z.infer<typeof notificationReplySchema>;

export function notificationReply(order: Notification): NotificationReply {
  return {
    id: order.id,
    contractId: order.contractId,
    metadataId: order.metadataId,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    tokenId: order.tokenId,
    status: order.status,
    txHash: order.txHash,
    notificationGasUsed: order.gasUsed,
    ...resultReply(order),
  };
}

/** A token whose metadata has changed, or a collection. */
interface Changed {
  readonly contractAddress: LowerCaseAddress;
  /** Decimal; null for a collection. */
  readonly tokenId: string | null;
}

/** All contracts have the same function for a collection, and both standard contracts the same for a token. */
export function encodeNotification({ tokenId }: Pick<Changed, 'tokenId'>): Hex {
  const { abi } = standard721;
  return tokenId === null
    ? encodeFunctionData({ abi, functionName: 'notifyContractURIUpdate' })
    : encodeFunctionData({ abi, functionName: 'notifyMetadataUpdate', args: [BigInt(tokenId)] });
}

/** The event by which a contract announces that metadata has changed: ERC-4906, or for a collection ERC-7572. */
function eventOf({ tokenId }: Pick<Changed, 'tokenId'>): 'ContractURIUpdated' | 'MetadataUpdate' {
  return tokenId === null ? 'ContractURIUpdated' : 'MetadataUpdate';
}

function isAnnounced(changed: Changed, logs: readonly Log[]): boolean {
  const { contractAddress, tokenId } = changed;
  return parseEventLogs({ abi: standard721.abi, eventName: eventOf(changed), logs: [...logs] }).some(
    (log) =>
      lowerCase(log.address) === contractAddress &&
      (log.eventName === 'ContractURIUpdated' || log.args._tokenId === BigInt(tokenId ?? 0)),
  );
}

const NAME = 'notification';

/** The checks of the contract and one log take a third of this. */
const GAS_CEILING = 100_000n;

/**
 * The event that the metadata of a token (ERC-4906), or of a collection (ERC-7572), has changed. Only the contract's
 * owner, the account's wallet, can have it emitted.
 */
export const notificationKind = defineOrder<Notification, null, NotificationReply>({
  name: NAME,
  queue: 'mint',
  ...shownAs({
    stored: chainNotifications,
    label: 'chainNotifications',
    path: '/chain-notifications',
    scope: 'mint',
    tag: 'Metadata',
    name: 'Chain notification',
    schema: notificationReplySchema,
    reply: notificationReply,
    types: {
      confirmed: {
        type: 'notification.confirmed',
        when: 'The chain has the event that the metadata of a token or of a collection has changed',
      },
      failed: { type: 'notification.failed', when: 'A chain notification is FAILED' },
      cancelled: { type: 'notification.cancelled', when: 'A chain notification is CANCELLED' },
    },
  }),
  parties: ({ contractAddress }) => ({ contract: contractAddress, receivers: [] }),

  gasCeiling: () => GAS_CEILING,

  call: ({ order }) => ({ to: order.contractAddress, data: encodeNotification(order) }),

  readReceipt: ({ order }, { logs }) =>
    isAnnounced(order, logs)
      ? { effect: null }
      : { failure: `The transaction was mined, but its logs do not contain the ${eventOf(order)} that was ordered` },
});
