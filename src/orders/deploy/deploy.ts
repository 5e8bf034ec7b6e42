import { zeroAddress } from 'viem';
import type { Address } from 'viem';
import { DEPLOYMENT_PROXY, codeOfCreate2Call, create2Address, create2Call, saltOf } from './create2.ts';
import { creationCode } from './creation-code.ts';
import type { Deployable } from './creation-code.ts';
import { configuredChain } from '../../chains/client.ts';
import { OperationRefused } from '../../transactions/operation.ts';
import type { Operation, Outcome } from '../../transactions/operation.ts';
import { feeColumnsOf } from '../../platform/rates/fee.ts';
import { contractReply } from '../../catalog/contracts/contract-reply.ts';
import { claimDeployments, endDeployments } from '../../catalog/contracts/contracts.store.ts';
import type { Contract, DeploymentEnd } from '../../catalog/contracts/contracts.store.ts';
import { queueFollowingTransfers } from '../ownership/ownership-transfers.store.ts';
import type { FollowingTransfer } from '../ownership/ownership-transfers.store.ts';
import { requireForwarder } from './trusted-forwarder.ts';

/** The deployment of a contract: DEPLOYING -> ACTIVE or FAILED. Succeeds with the contract's address, in lower case. */
export const deploy: Operation<Contract, { readonly contractAddress: Address }> = {
  kind: 'deploy',

  claim: ({ db }, orderIds) => claimDeployments(db, orderIds),

  async buildCall(services, { chainId, order, account }) {
    const chain = configuredChain(services.chains, chainId);
    if ((await chain.client.getCode({ address: DEPLOYMENT_PROXY })) === undefined) {
      throw new OperationRefused(`Chain ${chainId} has no deployment proxy at ${DEPLOYMENT_PROXY}`);
    }
    await requireForwarder(services, chain, order);
    const code = creationCode(deployableOf(order));
    return {
      to: DEPLOYMENT_PROXY,
      data: create2Call(saltOf(order.id), code),
      // The proxy swallows the constructor's error; creating the contract directly says it.
      probe: { from: account.walletAddress, data: code },
    };
  },

  async interpret({ chains }, { chainId, order }, receipt) {
    const { client } = configuredChain(chains, chainId);
    // What was signed says where the contract is: this version of the service may have other creation code.
    const { input } = await client.getTransaction({ hash: receipt.transactionHash });
    const contractAddress = create2Address(saltOf(order.id), codeOfCreate2Call(input));
    const code = await client.getCode({ address: contractAddress, blockNumber: receipt.blockNumber });
    return code === undefined ? { failure: `No contract was created at ${contractAddress}` } : { contractAddress };
  },

  markSent: () => undefined,

  settle({ db }, settlementId, outcomes) {
    return {
      statements: [
        endDeployments(db, settlementId, outcomes.map(endOf)),
        queueFollowingTransfers(db, settlementId, outcomes.flatMap(followingTransferOf)),
      ],
      events: outcomes.map((outcome) => ({
        type: outcome.result === 'succeeded' ? 'contract.deployed' : 'contract.failed',
        accountId: outcome.claim.account.id,
        orderId: outcome.claim.orderId,
        at: outcome.at,
        data: contractReply({ ...outcome.claim.order, ...endOf(outcome) }, outcome.claim.account.corporateId),
      })),
    };
  },

  settled: ({ queues }, outcomes) =>
    queues.send(outcomes.flatMap(followingTransferOf).map(({ id }) => ({ kind: 'transfer-ownership', id }))),
};

/** The hand-over that the deployment asked for, if any. */
function followingTransferOf(outcome: Outcome<Contract, { readonly contractAddress: Address }>): FollowingTransfer[] {
  const { order, account } = outcome.claim;
  if (outcome.result !== 'succeeded' || order.transferOwnerAddress === null) return [];
  return [
    {
      id: order.id,
      accountId: account.id,
      chainId: order.chainId,
      contractAddress: outcome.success.contractAddress,
      newOwnerAddress: order.transferOwnerAddress,
      at: outcome.at,
    },
  ];
}

function endOf(outcome: Outcome<Contract, { readonly contractAddress: Address }>): DeploymentEnd {
  const mined = outcome.result === 'dropped' ? undefined : outcome;
  return {
    id: outcome.claim.orderId,
    status: outcome.result === 'succeeded' ? 'ACTIVE' : 'FAILED',
    contractAddress: outcome.result === 'succeeded' ? outcome.success.contractAddress : null,
    deployTxHash: mined?.txHash ?? null,
    deployGasUsed: mined?.fee.gasUsed ?? null,
    ...feeColumnsOf(mined?.fee),
    errorMessage: outcome.result === 'succeeded' ? null : outcome.reason,
    completedAt: outcome.at,
    updatedAt: outcome.at,
  };
}

function deployableOf(contract: Contract): Deployable {
  const { ercStandard, contractType } = contract;
  if (ercStandard === 'Forwarder') return { kind: 'Forwarder' };
  const token = {
    ercStandard,
    name: contract.name ?? '',
    symbol: contract.symbol ?? '',
    owner: contract.currentOwnerAddress ?? zeroAddress,
    trustedForwarder: contract.trustedForwarder,
  };
  if (contractType === 'certificate') return { kind: 'certificate', ...token };
  return {
    kind: 'standard',
    ...token,
    baseUri: contract.metadataBaseUri ?? '',
    royaltyReceiver: contract.royaltyReceiver ?? zeroAddress,
    royaltyFeeBps: contract.royaltyFeeBps ?? 0,
  };
}
