import { defineOrder } from '../define-order.ts';
import { encodeEventTopics, type Address, type Hex } from 'viem';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { contractReply, contractReplySchema, type ContractReply } from '../../catalog/contracts/contract-reply.ts';
import {
  deploymentReading,
  lockContracts,
  recordDeployments,
  withdrawDeployments,
  type Contract,
} from '../../catalog/contracts/contracts.store.ts';
import { DEPLOYMENT } from '../../catalog/contracts/deployment.ts';
import { END_STATUS, contractStatus } from '../../platform/database/vocabulary/order-status.ts';
import { logsSince, mostBlocksSince, receiptOfLog } from '../../engine/chain-reads.ts';
import {
  NotNow,
  OrderRefused,
  type OrderKind,
  type ChainReads,
  type ForeignEffect,
  type Outcome,
} from '../../engine/order-kind.ts';
import { ofBatch } from '../../engine/transactions.store.ts';
import { laneName, laneOf } from '../../engine/wallet-lane.ts';
import { ownershipTransferKind } from '../ownership/ownership-transfer-kind.ts';
import { insertFollowingTransfers, type FollowingTransfer } from '../ownership/ownership-transfers.store.ts';
import {
  codeOfCreate2Call,
  create2Address,
  create2Call,
  DEPLOYMENT_PROXY,
  saltOf,
} from '../../catalog/contracts/create2.ts';
import { creationCode, deployableOf } from '../../catalog/contracts/creation-code.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { requireForwarder } from './trusted-forwarder.ts';

const NAME = DEPLOYMENT;
/** The minimum number of blocks searched for the log of a creation: more than a busy test chain produces. */
const MIN_BLOCKS = 10_000;

/** The effect of a deployment. */
interface Deployed {
  readonly contractAddress: LowerCaseAddress;
}

/**
 * The deployment of a contract with CREATE2: DEPLOYING -> ACTIVE or FAILED. Anyone can call the deployment proxy with
 * calldata copied from the mempool.
 */
export const deployKind: OrderKind<Contract, Deployed, ContractReply> = defineOrder<Contract, Deployed, ContractReply>({
  name: NAME,
  queue: 'deploy',
  columns: () => ({}),
  idleMinutes: { waiting: 10, signed: 10 },
  resource: {
    id: 'contracts',
    label: 'contracts',
    form: null,
    path: '/contracts',
    scope: 'deploy',
    tag: 'Contracts',
    name: 'Contract',
    reply: ({ order, account }, progress) => contractReply({ ...order, progress }, account.corporateId),
  },
  events: {
    types: {
      confirmed: { type: 'contract.deployed', when: 'A contract or forwarder is ACTIVE' },
      failed: { type: 'contract.failed', when: 'The deployment of a contract or forwarder is FAILED' },
      cancelled: {
        type: 'contract.cancelled',
        when: 'The deployment of a contract or forwarder was cancelled: FAILED',
      },
    },
    data: contractReplySchema,
    reply: (outcome, end) => {
      const { order, account } = outcome.claim;
      const deployed = {
        ...order,
        ...end,
        status: contractStatus(END_STATUS[outcome.result]),
        contractAddress: outcome.result === 'confirmed' ? outcome.effect.contractAddress : null,
      };
      return contractReply(deployed, account.corporateId);
    },
  },
  parties: ({ currentOwnerAddress, transferOwnerAddress }) => ({
    contract: null,
    receivers: [currentOwnerAddress, transferOwnerAddress].filter((owner) => owner !== null && owner !== undefined),
  }),

  gasCeiling: (_, settings) => BigInt(settings.DEPLOYMENT_GAS_CEILING),

  reading: deploymentReading,

  call({ order, account }) {
    const code = creationCode(deployableOf(order));
    return {
      to: DEPLOYMENT_PROXY,
      data: create2Call(saltOf(order.id), code),
      // The proxy drops the constructor's error; creating the contract directly reports it.
      probe: { from: account.walletAddress, data: code },
    };
  },

  async check({ reads }, { chainId, order }) {
    const [proxy] = await Promise.all([reads.code(DEPLOYMENT_PROXY), requireForwarder(reads, order)]);
    if (proxy === '0x') throw new OrderRefused(`Chain ${chainId} has no deployment proxy at ${DEPLOYMENT_PROXY}`);
  },

  // The proxy reverts if nothing is created. The address follows from the signed calldata, because this version of the
  // service may have different creation code.
  readReceipt: ({ order }, _, calldata) => ({ effect: { contractAddress: addressOf(order, calldata()) } }),

  async findForeignEffect(context, claim, signed) {
    const { reads } = context;
    const { order } = claim;
    const addresses = new Set([...signed, deployKind.call(claim).data].map((calldata) => addressOf(order, calldata)));
    // Of one that was found before: its owner, of which the address depends, may have changed since.
    if (order.contractAddress !== null) addresses.add(order.contractAddress);
    const blocks = mostBlocksSince(context, order.createdAt) + MIN_BLOCKS;
    for (const contractAddress of addresses) {
      if ((await reads.code(contractAddress)) === '0x') continue;
      return {
        effect: { contractAddress },
        inclusion: await inclusionOfCreation(reads, contractAddress, blocks),
        isOwn: true,
      };
    }
    return undefined;
  },

  locks: (db, claims) => ({
    contracts: lockContracts(
      db,
      claims.map(({ orderId }) => orderId),
    ),
  }),
  ended(db, batchId, outcomes) {
    const hasEnded = (contractId: Parameters<typeof ofBatch>[2]) => ofBatch(batchId, NAME, contractId);
    const deployments = outcomes.map((outcome) => ({
      id: outcome.claim.orderId,
      contractAddress: outcome.result === 'confirmed' ? outcome.effect.contractAddress : null,
    }));
    const following = outcomes.flatMap(followingTransferOf);
    return {
      contracts: recordDeployments(db, hasEnded, deployments),
      transfers: insertFollowingTransfers(db, ownershipTransferKind, hasEnded, following),
    };
  },
  reopened: (db, batchId) => ({
    contracts: withdrawDeployments(db, (contractId) => ofBatch(batchId, NAME, contractId)),
  }),

  async settled({ lanes }, outcomes) {
    const names = outcomes
      .flatMap(followingTransferOf)
      .map(({ chainId, walletAddress }) => laneName(laneOf(chainId, walletAddress)));
    await Promise.all(Array.from(new Set(names), (name) => lanes.getByName(name).wake()));
  },
});

/** The address of a record's contract, from the proxy's calldata. */
function addressOf({ id }: Contract, calldata: Hex): LowerCaseAddress {
  return create2Address(saltOf(id), codeOfCreate2Call(calldata));
}

/**
 * The transaction that created a token contract, found by the log of its first owner; null for a forwarder, which logs
 * nothing.
 */
async function inclusionOfCreation(
  reads: ChainReads,
  address: Address,
  blocks: number,
): Promise<ForeignEffect<Deployed>['inclusion']> {
  const topics = encodeEventTopics({ abi: standard721.abi, eventName: 'OwnershipTransferred' });
  const logs = await logsSince(reads, { address, topics: topics.flat() }, reads.blockNumber - blocks);
  if (logs === undefined) throw new NotNow('The nodes return no logs');
  const [log] = logs;
  if (log === undefined) return null;
  const { transactionHash: txHash, blockNumber, blockHash } = await receiptOfLog(reads, log);
  return { txHash, blockNumber, blockHash };
}

/** The ownership transfer that the deployment requested, if any. */
function followingTransferOf(outcome: Outcome<Contract, Deployed>): FollowingTransfer[] {
  const { order, account } = outcome.claim;
  if (outcome.result !== 'confirmed' || order.transferOwnerAddress === null) return [];
  return [
    {
      id: order.id,
      accountId: account.id,
      chainId: order.chainId,
      walletAddress: account.walletAddress,
      contractAddress: outcome.effect.contractAddress,
      newOwnerAddress: order.transferOwnerAddress,
      at: outcome.at,
    },
  ];
}
