import { describe, expect, it } from 'vitest';
import { keccak256, toHex, zeroAddress, type Address, type Hex, type Log } from 'viem';
import type { Receipt } from '../../chains/rpc-values.ts';
import { NotNow, type ChainReads, type Claim, type KindContext } from '../../engine/order-kind.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import { create2Address, create2Call, saltOf } from '../../catalog/contracts/create2.ts';
import { creationCode } from '../../catalog/contracts/creation-code.ts';
import { deployKind } from './deploy-kind.ts';

const id = '0190f3c1a2b4d5e6f7a8b9c0';
const order = {
  id,
  chainId: '43114',
  ercStandard: 'Forwarder',
  contractAddress: null,
  createdAt: new Date(0),
} as Contract;
const claim: Claim<Contract> = {
  orderId: id,
  chainId: '43114',
  order,
  account: { id, corporateId: 'acme', walletAddress: zeroAddress, secretManagerKeyId: 'key' },
};
const txHash = `0x${'ab'.repeat(32)}` as const;
const blockHash = `0x${'cd'.repeat(32)}` as const;
const receipt: Receipt = {
  transactionHash: txHash,
  blockNumber: 7,
  blockHash,
  status: 'success',
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs: [],
};
const code = creationCode({ kind: 'Forwarder' });
const addressOf = (creation: Hex) => create2Address(saltOf(id), creation);

/** A chain on which one address has code, with the given logs. */
function contextOf(deployed: Address | undefined, logs: readonly Log[] = []): KindContext {
  const reads: Pick<ChainReads, 'blockNumber' | 'code' | 'logs' | 'receipt'> = {
    blockNumber: 9,
    code: async (address) => (address === deployed ? '0x00' : '0x'),
    logs: async () => logs,
    receipt: async () => receipt,
  };
  return { reads, clock: { now: () => 0 }, blockTimeMs: 2_000 } as unknown as KindContext;
}

describe('a mined deployment', () => {
  it('has the address of the signed creation code, even if the service has different code now', () => {
    for (const signed of [code, `${code}00`] as const) {
      const contractAddress = addressOf(signed);
      expect(deployKind.readReceipt(claim, receipt, () => create2Call(saltOf(id), signed))).toEqual({
        effect: { contractAddress },
      });
    }
  });
});

describe('a deployment whose forwarder is not there', () => {
  it('waits, however long ago it was accepted: a reorganization may have removed the forwarder until it is deployed again', async () => {
    const trustedForwarder = `0x${'ee'.repeat(20)}` as const;
    const reads: Pick<ChainReads, 'code' | 'call'> = {
      code: async (address) => (address === trustedForwarder ? '0x' : '0x00'),
      call: async () => ({ data: '0x' }),
    };
    const context = { reads, clock: { now: () => 3_600_000 } } as unknown as KindContext;
    await expect(
      deployKind.check?.(context, { ...claim, order: { ...order, trustedForwarder } }, false),
    ).rejects.toThrow(new NotNow(`trustedForwarder has no contract on chain 43114: ${trustedForwarder}`));
  });
});

describe('a deployment by a third party', () => {
  const find = deployKind.findForeignEffect;
  if (find === null) throw new Error('The proxy is public');

  it('is found at the address of the signed or the current creation code', async () => {
    const older = create2Call(saltOf(id), `${code}00`);
    const contractAddress = addressOf(`${code}00`);
    expect(await find(contextOf(contractAddress), claim, [older])).toMatchObject({ effect: { contractAddress } });
    expect(await find(contextOf(contractAddress), claim, [])).toBeUndefined();
    expect(await find(contextOf(addressOf(code)), claim, [])).toMatchObject({
      effect: { contractAddress: addressOf(code) },
    });
    expect(await find(contextOf(undefined), claim, [older])).toBeUndefined();
  });

  it('is found where it was found before, though its address follows from another owner now', async () => {
    const contractAddress = addressOf(`${code}00`);
    const found = { ...claim, order: { ...order, contractAddress } };
    expect(await find(contextOf(contractAddress), found, [])).toMatchObject({ effect: { contractAddress } });
  });

  it('has the transaction of the log of its first owner; a forwarder has no log', async () => {
    const topic = keccak256(toHex('OwnershipTransferred(address,address)'));
    const log = { address: zeroAddress, topics: [topic], transactionHash: txHash, blockHash } as unknown as Log;
    const contractAddress = addressOf(code);
    expect(await find(contextOf(contractAddress, [log]), claim, [])).toEqual({
      effect: { contractAddress },
      inclusion: { txHash, blockNumber: 7, blockHash },
      isOwn: true,
    });
    expect(await find(contextOf(contractAddress), claim, [])).toMatchObject({
      effect: { contractAddress },
      inclusion: null,
    });
  });
});
