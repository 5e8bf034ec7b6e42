import { shownAs } from '../shown-as.ts';
import { defineOrder } from '../define-order.ts';
import { encodeEventTopics, encodeFunctionData, isAddressEqual, parseEventLogs } from 'viem';
import { z } from 'zod';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { recordNewOwners, restoreOwners } from '../../catalog/contracts/contracts.store.ts';
import { ownerView } from '../../catalog/contracts/views.ts';
import { recordIdField } from '../../core/fields.ts';
import {
  ORDER_STATUS_MEANING,
  queuedStatus,
  WAITING_FOR_APPROVAL,
  ORDER_STATUSES,
} from '../../platform/database/vocabulary/order-status.ts';
import {
  addressReply,
  chainIdReply,
  contractAddressReply,
  gasUsedReply,
  txHashReply,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../engine/order-result.ts';
import { timeOf } from '../../core/record-id.ts';
import { logsSince, mostBlocksSince, readView, receiptOfLog } from '../../engine/chain-reads.ts';
import { NotNow } from '../../engine/order-kind.ts';
import { ofBatch } from '../../engine/transactions.store.ts';
import type { OrderOf } from '../stored-orders.ts';
import { ownershipTransfers } from '../order-forms.ts';

export type OwnershipTransfer = OrderOf<typeof ownershipTransfers>;

/** The job of an ownership transfer. A field without a value yet is null. */
export const ownershipTransferReplySchema = z
  .object({
    jobId: recordIdField.meta({ description: 'Id of the ownership transfer' }),
    contractId: recordIdField.meta({ description: 'Id of the contract' }),
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    newOwner: addressReply.meta({ description: 'Who becomes the owner of the contract' }),
    status: z.enum([...ORDER_STATUSES.map(queuedStatus), WAITING_FOR_APPROVAL]).meta({
      description: `${ORDER_STATUS_MEANING}. WAITING_FOR_APPROVAL: a second person must approve it`,
    }),
    txHash: txHashReply.nullable(),
    transferGasUsed: gasUsedReply.nullable(),
    ...resultFields,
  })
  .meta({ id: 'OwnershipTransfer' });

export type OwnershipTransferReply = z.infer<typeof ownershipTransferReplySchema>;

export function ownershipTransferReply(transfer: OwnershipTransfer): OwnershipTransferReply {
  return {
    jobId: transfer.id,
    contractId: transfer.contractId,
    chainId: transfer.chainId,
    contractAddress: transfer.contractAddress,
    newOwner: transfer.newOwnerAddress,
    status: transfer.progress?.awaitsApproval === true ? WAITING_FOR_APPROVAL : queuedStatus(transfer.status),
    txHash: transfer.txHash,
    transferGasUsed: transfer.gasUsed,
    ...resultReply(transfer),
  };
}

const NAME = 'ownership-transfer';

/**
 * The transfer of a contract's ownership. All contracts share the same function and event. Only the owner, the
 * account's wallet, can make it; but a restored database may not know the transaction.
 */
export const ownershipTransferKind = defineOrder<OwnershipTransfer, null, OwnershipTransferReply>({
  name: NAME,
  queue: 'deploy',
  ...shownAs({
    stored: ownershipTransfers,
    label: 'ownershipTransfers',
    path: '/contracts/transfer-ownership',
    scope: 'ownership',
    tag: 'Contracts',
    name: 'Ownership transfer',
    schema: ownershipTransferReplySchema,
    reply: ownershipTransferReply,
    types: {
      confirmed: { type: 'ownership.transferred', when: 'A contract has its new owner' },
      failed: { type: 'ownership.failed', when: 'An ownership transfer is FAILED' },
      cancelled: { type: 'ownership.cancelled', when: 'An ownership transfer is CANCELLED' },
    },
  }),
  parties: ({ contractAddress, newOwnerAddress }) => ({ contract: contractAddress, receivers: [newOwnerAddress] }),

  gasCeiling: (_, settings) => BigInt(settings.OWNERSHIP_TRANSFER_GAS_CEILING),

  call({ order }) {
    const args = [order.newOwnerAddress] as const;
    const data = encodeFunctionData({ abi: standard721.abi, functionName: 'transferOwnership', args });
    return { to: order.contractAddress, data };
  },

  readReceipt({ order }, { logs }) {
    const transferred = parseEventLogs({
      abi: standard721.abi,
      eventName: 'OwnershipTransferred',
      logs: [...logs],
    }).some(
      ({ address, args }) =>
        isAddressEqual(address, order.contractAddress) && isAddressEqual(args.newOwner, order.newOwnerAddress),
    );
    return transferred
      ? { effect: null }
      : { failure: 'The transaction was mined, but its logs do not show the new owner' };
  },

  async findForeignEffect(context, { order, account }) {
    const { reads } = context;
    const { contractAddress: address, newOwnerAddress: newOwner } = order;
    // Only one that follows a deployment, whose id it has, can be stored after its transaction was mined: by a restore.
    if (order.id !== order.contractId) return undefined;
    const owner = await readView(reads, ownerView(address));
    if (owner !== undefined && isAddressEqual(owner, account.walletAddress)) return undefined;
    const args = { previousOwner: account.walletAddress, newOwner };
    const topics = encodeEventTopics({ abi: standard721.abi, eventName: 'OwnershipTransferred', args }).flat();
    const blocks = mostBlocksSince(context, new Date(timeOf(order.id)));
    const logs = await logsSince(reads, { address, topics }, reads.blockNumber - blocks);
    if (logs === undefined) throw new NotNow('The nodes return no logs');
    const log = logs.at(-1);
    if (log === undefined) return undefined;
    const { transactionHash: txHash, blockNumber, blockHash } = await receiptOfLog(reads, log);
    return { effect: null, inclusion: { txHash, blockNumber, blockHash } };
  },

  ended: (db, batchId, outcomes) => ({
    owners: recordNewOwners(
      db,
      (orderId) => ofBatch(batchId, NAME, orderId),
      outcomes
        .filter(({ result }) => result === 'confirmed')
        .map(({ claim: { orderId, order }, at }) => ({
          orderId,
          contractId: order.contractId,
          newOwner: order.newOwnerAddress,
          at,
        })),
    ),
  }),
  reopened: (db, batchId, claims) => ({
    owners: restoreOwners(
      db,
      (orderId) => ofBatch(batchId, NAME, orderId),
      claims.map(({ orderId, account, order }) => ({
        orderId,
        contractId: order.contractId,
        owner: account.walletAddress,
        newOwner: order.newOwnerAddress,
      })),
    ),
  }),
});
