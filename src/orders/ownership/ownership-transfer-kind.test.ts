import { describe, expect, it } from 'vitest';
import { decodeFunctionData, encodeEventTopics, getAddress, zeroHash, type Address, type Log } from 'viem';
import type { Receipt } from '../../chains/rpc-values.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { lowerCase } from '../../core/lower-case.ts';
import type { Claim, KindContext } from '../../engine/order-kind.ts';
import {
  ownershipTransferKind,
  ownershipTransferReply,
  ownershipTransferReplySchema,
  type OwnershipTransfer,
} from './ownership-transfer-kind.ts';

const addressOf = (byte: string) => lowerCase(`0x${byte.repeat(20)}`);
const wallet = addressOf('a1');
const order: OwnershipTransfer = {
  id: '0190f3c1a2b4d5e6f7a8b9c0',
  corporateAccountId: 'd'.repeat(24),
  contractId: 'c'.repeat(24),
  chainId: '43114',
  contractAddress: addressOf('b2'),
  newOwnerAddress: getAddress(addressOf('c3')),
  status: 'PENDING',
  txHash: null,
  gasUsed: null,
  totalFeeNative: null,
  nativePriceUsd: null,
  totalFeeUsd: null,
  nativePriceKrw: null,
  totalFeeKrw: null,
  errorMessage: null,
  completedAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};
const claim: Claim<OwnershipTransfer> = {
  orderId: order.id,
  chainId: order.chainId,
  order,
  account: { id: order.corporateAccountId, corporateId: 'acme', walletAddress: wallet, secretManagerKeyId: 'key' },
};

function transferred(newOwner: Address, address = order.contractAddress): Log {
  const eventName = 'OwnershipTransferred';
  const topics = encodeEventTopics({ abi: standard721.abi, eventName, args: { previousOwner: wallet, newOwner } });
  return { address, topics, data: '0x' } as unknown as Log;
}

function read(logs: readonly Log[]) {
  const receipt = { status: 'success', logs } as Receipt;
  return ownershipTransferKind.readReceipt(claim, receipt, () => '0x');
}

describe('a mined ownership transfer', () => {
  it('is confirmed by the event of the ordered contract with the ordered owner, among others', () => {
    const others = [transferred(wallet), transferred(order.newOwnerAddress, addressOf('d4'))];
    expect(read([...others, transferred(order.newOwnerAddress)])).toEqual({ effect: null });
  });

  it.each([
    ['has no event', []],
    ['names another owner', [transferred(addressOf('e5'))]],
    ['is of another contract', [transferred(order.newOwnerAddress, addressOf('d4'))]],
  ])('is no proof where it %s, though it succeeded', (_, logs) => {
    expect(read(logs)).toMatchObject({ failure: expect.stringContaining('do not show the new owner') });
  });
});

describe('an ownership transfer', () => {
  it('that follows no deployment is sought in no log', async () => {
    const context = { reads: {} } as unknown as KindContext;
    expect(await ownershipTransferKind.findForeignEffect?.(context, claim, [])).toBeUndefined();
  });

  it("calls the contract itself, with the order's owner and nothing else", () => {
    const { to, data, ...rest } = ownershipTransferKind.call(claim);
    expect(decodeFunctionData({ abi: standard721.abi, data })).toEqual({
      functionName: 'transferOwnership',
      args: [order.newOwnerAddress],
    });
    expect([to, rest]).toEqual([order.contractAddress, {}]);
  });

  it.each([
    ['confirmed', 'CONFIRMED'],
    ['failed', 'FAILED'],
    ['cancelled', 'CANCELLED'],
  ] as const)('that is %s has an event with the job as it is from then on', (result, status) => {
    const at = new Date(5_000);
    const txHash = result === 'confirmed' ? zeroHash : null;
    const cancelRequestedAt = result === 'cancelled' ? at : null;
    const progress = { hold: null, cancelRequestedAt, awaitsApproval: false };
    const end = { ...order, status, txHash, gasUsed: '28000', completedAt: at, updatedAt: at, progress };
    const outcome =
      result === 'confirmed'
        ? { claim, at, result, effect: null, mined: null, fee: undefined }
        : { claim, at, result, reason: 'no', mined: undefined };
    const reply = ownershipTransferKind.events?.reply(outcome, end);
    expect(ownershipTransferReplySchema.strict().parse(reply)).toMatchObject({
      jobId: order.id,
      status,
      txHash,
      transferGasUsed: '28000',
      completedAt: at.toISOString(),
      cancelRequestedAt: result === 'cancelled' ? at.toISOString() : null,
    });
    expect(JSON.stringify(reply)).not.toContain(order.corporateAccountId);
  });
});

it.each([
  ['PENDING', 'QUEUED'],
  ['PROCESSING', 'PROCESSING'],
  ['SENT', 'SENT'],
  ['CONFIRMED', 'CONFIRMED'],
] as const)('a job that is stored as %s is shown as %s', (status, shown) => {
  const transfer = { status, completedAt: null, createdAt: new Date(0), updatedAt: new Date(0) } as OwnershipTransfer;
  expect(ownershipTransferReply(transfer).status).toBe(shown);
});
