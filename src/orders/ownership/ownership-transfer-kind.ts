import { encodeFunctionData, isAddressEqual, parseEventLogs } from 'viem';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import type { OrderKind } from '../../engine/order-kind.ts';
import { ownershipTransfers } from '../../platform/database/schema.ts';
import { ownershipTransferReply, ownershipTransferReplySchema } from './ownership-transfer-reply.ts';
import type { OwnershipTransferReply } from './ownership-transfer-reply.ts';
import { loadOwnershipTransfers, recordNewOwners, restoreOwners } from './ownership-transfers.store.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

const NAME = 'ownership-transfer';

/**
 * The hand-over of a contract to another owner; every kind of contract has the same function and event for it. Only the
 * owner, the account's wallet, can make it.
 */
export const ownershipTransferKind: OrderKind<OwnershipTransfer, null, OwnershipTransferReply> = {
  name: NAME,
  queue: 'deploy',
  orders: {
    label: 'ownershipTransfers',
    table: ownershipTransfers,
    statuses: ORDER_STATUS,
    columns: { txHash: 'tx_hash', gasUsed: 'transfer_gas_used' },
  },
  idleMinutes: { waiting: 5, signed: 10 },
  resource: {
    path: '/contracts/transfer-ownership',
    tag: 'Contracts',
    name: 'Ownership transfer',
    reply: ({ order }, progress) => ownershipTransferReply({ ...order, progress }),
  },
  events: {
    types: {
      confirmed: 'ownership.transferred',
      failed: 'ownership.failed',
      cancelled: 'ownership.cancelled',
    },
    data: ownershipTransferReplySchema,
    reply: ({ claim, result }, { gasUsed, ...end }) =>
      ownershipTransferReply({ ...claim.order, ...end, status: ORDER_STATUS[result], transferGasUsed: gasUsed }),
  },
  parties: ({ contractAddress, newOwnerAddress }) => ({ contract: contractAddress, receivers: [newOwnerAddress] }),
  dependency: null,
  check: null,
  explain: null,
  findForeignEffect: null,
  settled: null,

  gasCeiling: (_, settings) => BigInt(settings.HAND_OVER_GAS_CEILING),

  load: (db, condition) => loadOwnershipTransfers(db, NAME, condition),

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

  ended: (db, batchId, outcomes) => [
    recordNewOwners(
      db,
      NAME,
      batchId,
      outcomes.filter(({ result }) => result === 'confirmed').map(({ claim, at }) => ({ id: claim.orderId, at })),
    ),
  ],
  reopened: (db, batchId) => [restoreOwners(db, NAME, batchId)],
};
