import { describe, expect, it } from 'vitest';
import { decodeFunctionData, encodeAbiParameters, encodeEventTopics, numberToHex, type Hex, type Log } from 'viem';
import type { Receipt } from '../../chains/rpc-values.ts';
import { minimalForwarder } from '../../../contracts/artifacts/MinimalForwarder.ts';
import { standard721 } from '../../../contracts/artifacts/Standard721.ts';
import { lowerCase, type LowerCaseAddress } from '../../core/lower-case.ts';
import { NotNow, type ChainReads, type Claim, type KindContext } from '../../engine/order-kind.ts';
import { encodeTransfer } from './transfer-call.ts';
import { transferKind } from './transfer-kind.ts';

type RelayedTransfer = Parameters<typeof transferKind.columns>[0];

const addressOf = (byte: string) => lowerCase(`0x${byte.repeat(20)}`);
const [wallet, forwarder, collection, holder, receiver] = ['a1', 'b2', 'c3', 'd4', 'e5'].map(addressOf) as [
  LowerCaseAddress,
  LowerCaseAddress,
  LowerCaseAddress,
  LowerCaseAddress,
  LowerCaseAddress,
];
const token = { contractAddress: collection, ercStandard: '721', from: holder, to: receiver } as const;
const transfer = { ...token, tokenId: '7', amount: 1 };
const order: RelayedTransfer = {
  id: '0190f3c1a2b4d5e6f7a8b9c0',
  corporateAccountId: 'd'.repeat(24),
  chainId: '43114',
  ...transfer,
  purpose: 'transfer',
  status: 'SENT',
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
  forwarderAddress: forwarder,
  signerAddress: holder,
  targetAddress: collection,
  nonce: '3',
  gasLimit: 200_000,
  data: encodeTransfer(transfer),
  signature: `0x${'22'.repeat(65)}`,
  deadline: null,
  readAtBlock: 100,
  notBeforeBlock: null,
};
const claim: Claim<RelayedTransfer> = {
  orderId: order.id,
  chainId: order.chainId,
  order,
  account: { id: order.corporateAccountId, corporateId: 'acme', walletAddress: wallet, secretManagerKeyId: 'key' },
};

const txHash: Hex = `0x${'ab'.repeat(32)}`;
const blockHash: Hex = `0x${'cd'.repeat(32)}`;

function moved({ tokenId = 7n, to = receiver, address = collection } = {}): Log {
  const topics = encodeEventTopics({
    abi: standard721.abi,
    eventName: 'Transfer',
    args: { from: holder, to, tokenId },
  });
  return { address, topics, data: '0x' } as unknown as Log;
}

/** The forwarder's report of a request. */
function executed({ nonce = 3n, success = true, returndata = '0x', to = collection } = {}): Log {
  const event = minimalForwarder.abi.find((item) => item.type === 'event' && item.name === 'Executed');
  const inputs = event?.type === 'event' ? event.inputs.filter((input) => !('indexed' in input && input.indexed)) : [];
  const values: Record<string, unknown> = { nonce, success, returndata };
  const topics = encodeEventTopics({
    abi: minimalForwarder.abi,
    eventName: 'Executed',
    args: { from: holder, to, nonce } as never,
  });
  const data = encodeAbiParameters(inputs, inputs.map(({ name }) => values[name ?? '']) as never);
  return { address: forwarder, topics, data, transactionHash: txHash, blockNumber: 120n, blockHash } as unknown as Log;
}

const receiptOf = (logs: readonly Log[], mined: Partial<Receipt> = {}): Receipt => ({
  transactionHash: txHash,
  blockNumber: 120,
  blockHash,
  status: 'success',
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs,
  ...mined,
});

/** The signer's cancellation of a nonce. */
function cancelled(nonce: bigint): Log {
  const eventName = 'NoncesCancelled';
  const topics = encodeEventTopics({ abi: minimalForwarder.abi, eventName, args: { from: holder } });
  const data = encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [nonce, nonce]);
  return { address: forwarder, topics, data, transactionHash: txHash, blockNumber: 120n, blockHash } as unknown as Log;
}

const BLOCK_MS = 2_000;

const changesNothing = () => ({ set: () => ({ where: () => ({}) }) });

/**
 * A chain where the signer's next nonce is `nonce`, and that has one transaction with these logs, in block 120.
 * @param mined What the transaction's receipt says instead.
 * @param isDeployed Whether the service has deployed the forwarder.
 * @param head The block that is read.
 * @param ageMs The order's age.
 * @param searched When its nonce was first found used by what left no log; absent: it was not.
 * @param refuses Whether nodes return no logs, not even of single blocks.
 */
function contextOf(
  nonce: bigint,
  logs: readonly Log[],
  {
    mined,
    isDeployed = true,
    head = 150,
    ageMs = (head - 100) * BLOCK_MS,
    searched,
    refuses = false,
  }: {
    readonly mined?: Partial<Receipt>;
    readonly isDeployed?: boolean;
    readonly head?: number;
    readonly ageMs?: number;
    readonly searched?: Date;
    readonly refuses?: boolean;
  } = {},
): KindContext {
  const reads: Pick<ChainReads, 'blockNumber' | 'call' | 'logs' | 'receipt'> = {
    blockNumber: head,
    call: async () => ({ data: numberToHex(nonce, { size: 32 }) }),
    logs: async ({ topics, fromBlock, toBlock }) => {
      if (refuses) return undefined;
      const own = fromBlock > 120 || toBlock < 120 ? [] : logs;
      return own.filter(
        (log) => log.address === forwarder && log.topics[0] === topics[0] && log.topics[1] === topics[1],
      );
    },
    receipt: async (hash) => (hash === txHash ? receiptOf(logs, mined) : undefined),
  };
  const rows = isDeployed ? [{ id: '0190f3c1a2b4d5e6f7a8b9c1' }] : [];
  // No other order has the nonce.
  const rowsOf = (columns: object) => {
    if ('updatedAt' in columns) return [{ updatedAt: searched ?? new Date(clock.now()) }];
    return 'id' in columns ? rows : [];
  };
  const select = (columns: object) => ({ from: () => ({ where: async () => rowsOf(columns) }) });
  const db = { sql: { select, update: changesNothing, batch: async () => [] } };
  const clock = { now: () => order.createdAt.getTime() + ageMs };
  return { db, clock, reads, blockTimeMs: BLOCK_MS } as unknown as KindContext;
}

const read = (logs: readonly Log[]) => transferKind.readReceipt(claim, receiptOf(logs), () => '0x');

describe('a mined transfer', () => {
  it('is confirmed by the Transfer that was ordered', () => {
    expect(read([executed(), moved()])).toEqual({ effect: null });
  });

  it.each([
    ['of another token', moved({ tokenId: 8n })],
    ['to another receiver', moved({ to: wallet })],
    ['of another contract', moved({ address: wallet })],
  ])('is not confirmed by a Transfer %s, whatever the forwarder reports', (_, log) => {
    expect(read([executed(), log])).toMatchObject({ failure: expect.stringContaining('reports no failure') });
  });

  it('has failed with the reason of the contract that the forwarder called', () => {
    const reason = encodeAbiParameters([{ type: 'string' }], ['locked']);
    const returndata: Hex = `0x08c379a0${reason.slice(2)}`;
    expect(read([executed({ success: false, returndata })])).toMatchObject({
      failure: expect.stringMatching(/reverted: .*locked/),
    });
  });
});

describe('a transfer that someone else brought to the forwarder', () => {
  const find = transferKind.findForeignEffect;
  if (find === null) throw new Error('A signed request is public');

  it('is found by the report and the Transfer in one transaction', async () => {
    expect(await find(contextOf(4n, [executed(), moved()]), claim, [])).toEqual({
      effect: null,
      inclusion: { txHash, blockNumber: 120, blockHash },
      isOwn: true,
    });
  });

  it.each<[string, KindContext]>([
    ['the nonce is unused', contextOf(3n, [executed(), moved()])],
    ['the report is of another request', contextOf(5n, [executed({ nonce: 4n }), moved()], { isDeployed: false })],
    ['another request has used the nonce', contextOf(4n, [executed({ to: wallet }), moved()])],
    ['the signer has cancelled the nonce', contextOf(4n, [cancelled(3n), moved()])],
    ['the request failed', contextOf(4n, [executed({ success: false }), moved()])],
    ['the token did not move', contextOf(4n, [executed()])],
  ])('is not found where %s', async (_, context) => {
    expect(await find(context, claim, [])).toBeUndefined();
  });

  it.each<[string, readonly Log[]]>([
    ['no log', []],
    ['the logs of other requests', [executed({ nonce: 4n }), cancelled(2n), moved()]],
  ])('is looked for again if a node has %s of a nonce that the forwarder counts', async (_, logs) => {
    await expect(find(contextOf(5n, logs), claim, [])).rejects.toBeInstanceOf(NotNow);
  });

  const elsewhere = { blockNumber: 110, blockHash: `0x${'ee'.repeat(32)}` } as const;

  it.each<[string, Partial<Receipt>]>([
    ['of a block of another branch, where it reverted', { ...elsewhere, status: 'reverted', logs: [] }],
    ['of a block of another branch, where nothing moved', { ...elsewhere, logs: [executed()] }],
    ['of the same block, in which it reverted', { status: 'reverted', logs: [] }],
  ])('is looked for again if the receipt for its log is %s', async (_, mined) => {
    await expect(find(contextOf(4n, [executed(), moved()], { mined }), claim, [])).rejects.toBeInstanceOf(NotNow);
  });

  describe.each([
    ['far above the head', 2 ** 40],
    ['that the chain has reached since', 2_000],
  ])('for an order accepted at a false height %s', (_, readAtBlock) => {
    const misled = { ...claim, order: { ...order, readAtBlock } };
    const head = 2_000;

    it.each([true, false])('is found all the same; a forwarder of the service: %s', async (isDeployed) => {
      const context = contextOf(4n, [executed(), moved()], { isDeployed, head });
      expect(await find(context, misled, [])).toMatchObject({ inclusion: { blockNumber: 120 } });
    });

    it.each([
      ['nodes return no log of it', { refuses: false }],
      ['nodes refuse to return logs', { refuses: true }],
      ['nodes refuse to return logs, of a forwarder from elsewhere', { refuses: true, isDeployed: false }],
    ])(
      'is looked for no longer a day after its nonce was found used, however old it is, if %s',
      async (_nodes, options) => {
        const day = 86_400_000;
        const ageMs = 3 * day;
        const after = (ms: number) => {
          const searched = new Date(order.createdAt.getTime() + ageMs - ms);
          return find(contextOf(4n, [], { head, ageMs, searched, ...options }), misled, []);
        };
        await expect(after(day)).rejects.toBeInstanceOf(NotNow);
        expect(await after(day + 1)).toBeUndefined();
      },
    );
  });
});

it('a transfer hands the forwarder what its holder signed, to the letter', () => {
  const { to, data } = transferKind.call(claim);
  const { functionName, args } = decodeFunctionData({ abi: minimalForwarder.abi, data });
  expect([to, functionName, args]).toMatchObject([
    forwarder,
    'execute',
    [{ gas: 200_000n, nonce: 3n, value: 0n, data: encodeTransfer({ ...transfer, from: holder }) }, order.signature],
  ]);
});
