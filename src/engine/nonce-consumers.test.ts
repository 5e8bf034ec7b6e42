import { keccak256, parseTransaction, serializeTransaction, toHex, type TransactionSerializableEIP1559 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import type { Question } from '../chains/rpc-client.ts';
import type { ChainHead } from './chain-head.ts';
import { NonceSearch, type Consumer } from './nonce-consumers.ts';

const signer = privateKeyToAccount(generatePrivateKey());
const wallet = signer.address.toLowerCase();
const CHAIN = 43_114;
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A transaction of the wallet with nonce 4, as nodes report it. */
async function reported(chainId = CHAIN, change?: (s: bigint) => bigint) {
  const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId,
    nonce: 4,
    gas: 21_000n,
    to: signer.address,
    ...fees,
  });
  const { r = '0x', s: own = '0x', yParity: ownParity = 0, ...unsigned } = parseTransaction(raw);
  const s = change === undefined ? own : toHex(change(BigInt(own)), { size: 32 });
  const yParity = change === undefined ? ownParity : 1 - ownParity;
  return {
    type: '0x2',
    chainId: toHex(chainId),
    nonce: '0x4',
    gas: toHex(21_000),
    maxFeePerGas: '0x2',
    maxPriorityFeePerGas: '0x1',
    to: wallet,
    value: '0x0',
    input: '0x',
    accessList: [],
    r,
    s,
    v: toHex(yParity),
    from: wallet,
    hash: keccak256(serializeTransaction(unsigned as TransactionSerializableEIP1559, { r, s, yParity })),
  };
}
type Reported = Awaited<ReturnType<typeof reported>>;

const used = await reported();
/** The same with the other signature that fits it and its signer, which anybody can compute, and no chain takes. */
const flipped = await reported(CHAIN, (s) => SECP256K1_ORDER - s);

/** The same on another chain, where the wallet's account is used too. */
const elsewhere = await reported(43_113);
const { hash } = used;

const hashOf = (branch: string, number: number) => `0x${branch.repeat(60)}${String(number).padStart(4, '0')}` as const;

/** A node: its branch, and what it says instead of the transaction that used the nonce. */
interface TestNode {
  branch: string;
  says?: object;
  /** Its newest block, and the number by which it names it. */
  top?: number;
  named?: number;
  /** The block of the transaction's receipt. */
  mined?: number;
}

const receiptIn = (blockNumber: number, blockHash: string, transactionHash: string) => ({
  transactionHash,
  blockHash,
  blockNumber: toHex(blockNumber),
  gasUsed: '0x5208',
  status: '0x1',
  logs: [],
});

/**
 * A chain on which another transaction used nonce 4 in the given block, and a lane with the given observations. The
 * first node answers what is not asked of each.
 */
function laneWith(
  usedIn: number,
  observations: readonly (readonly [number, number])[],
  {
    finality = 1,
    nodes = [{ branch: 'a' }],
    honest = used,
  }: { finality?: number; nodes?: TestNode[]; honest?: Reported } = {},
) {
  const read: number[] = [];
  const answer = (
    { branch, says = honest, mined = usedIn, top = 2_000, named = top }: TestNode,
    calls: readonly Question[],
  ) =>
    calls.flat().map(({ method, params: [height, isBody] }) => {
      if (method === 'eth_getTransactionReceipt') {
        const isThere = height === honest.hash && mined <= top;
        return { result: isThere ? receiptIn(mined, hashOf(branch, mined), honest.hash) : null };
      }
      const number = height === 'latest' ? named : Number(height);
      if (height !== 'latest' && number > top) return { result: null };
      if (isBody === true) read.push(number);
      const transactions = number === usedIn ? [says] : [];
      const block = { number: toHex(number), hash: hashOf(branch, number), transactions };
      return { result: { ...block, timestamp: '0x1', gasLimit: '0xe4e1c0' } };
    });
  type Calls = Parameters<typeof answer>[1];
  const request = (calls: Calls) => Promise.resolve(answer(nodes[0] ?? { branch: 'a' }, calls));
  const requestOfEach = (calls: Calls) => Promise.resolve(nodes.map((node) => answer(node, calls)));
  const driver = {
    lane: { chainId: String(CHAIN), walletAddress: wallet },
    chain: {
      rpc: { request, requestInParallel: request, requestOfEach, providers: nodes.length },
      finality,
      blockTimeMs: 2_000,
    },
    services: { log: { warn: () => {} } },
    observations,
  } as unknown as Parameters<NonceSearch['findConsumers']>[0];
  return { driver, search: new NonceSearch(), read, nodes };
}

const head = { number: 1_000, hash: hashOf('a', 1_000), count: 9, readAt: 0 } as ChainHead;
const consumed = { nonce: 4, usedAt: 510 };
const around = [
  [500, 4],
  [510, 5],
] as const;

/** What a search finds: by the nonce, the transaction, its block, and when that is final. */
const found = (blockNumber: number, finalAt = blockNumber) => [
  4,
  { nonce: 4, hash, transaction: expect.objectContaining({ hash }), blockNumber, finalAt },
];

const find = ({ driver, search }: ReturnType<typeof laneWith>, readAt = 0) =>
  search.findConsumers(driver, consumed, { ...head, readAt });

describe('a search for what used a nonce', () => {
  it('reads the blocks between the observations', async () => {
    const { driver, search, read } = laneWith(503, around);
    expect([...(await search.findConsumers(driver, consumed, head))]).toEqual([found(503)]);
    expect(Math.min(...read)).toBeGreaterThan(480);
    expect(Math.max(...read)).toBeLessThan(530);
  });

  it('widens an unsuccessful search, because the block and count of an observation may come from different nodes', async () => {
    const { driver, search } = laneWith(300, around);
    let consumers = new Map() as ReadonlyMap<number, Consumer>;
    let calls = 0;
    for (; calls < 40 && consumers.size === 0; calls += 1)
      consumers = await search.findConsumers(driver, consumed, { ...head, readAt: calls * 60_000 });
    expect([...consumers]).toEqual([found(300)]);
  });

  // Blocks are read of the first node, then of it and of each of the three.
  it.each([
    [1, 1],
    [3, 4],
  ])(
    'reads blocks beyond the observed range at most four times as fast as the chain adds them, of each of %s nodes',
    async (providers, copies) => {
      const nodes = Array.from({ length: providers }, () => ({ branch: 'a' }));
      const { driver, search, read } = laneWith(10, around, { nodes });
      const seconds = 1_200;
      for (let at = 0; at < seconds; at += 0.5) {
        const consumers = await search.findConsumers(driver, consumed, { ...head, readAt: at * 1_000 });
        if (consumers.size > 0) break;
      }
      expect(read.length).toBeGreaterThan(seconds / 2);
      expect(read.length).toBeLessThan(copies * (4 * (seconds / 2) + 100));
    },
  );

  it('finds again what it has found', async () => {
    const lane = laneWith(503, around);
    expect([...(await find(lane))]).toEqual([found(503)]);
    expect([...(await find(lane))]).toEqual([found(503)]);
  });

  it('asks for a block that no node has no more than four times as often as the chain adds blocks', async () => {
    const { driver, search, read } = laneWith(503, around, { nodes: [{ branch: 'a', top: 400 }] });
    for (let at = 0; at < 600; at += 0.5) await search.findConsumers(driver, consumed, { ...head, readAt: at * 1_000 });
    expect(read.length).toBeLessThan(4 * (600 / 2));
  });

  it('reads no block before one can show the use, and none twice until the block that showed it is final', async () => {
    const { driver, search, read } = laneWith(1_000, [[990, 4]], { finality: 64 });
    const at = (number: number) =>
      search.findConsumers(driver, { nonce: 4, usedAt: 1_000 }, { ...head, number, hash: hashOf('a', number) });
    // Block 990, where the nonce was unused, is the last final one at 1,053.
    for (let number = 1_000; number <= 1_053; number += 1) await at(number);
    expect(read).toEqual([]);
    for (let number = 1_054; number < 1_063; number += 1) for (let calls = 0; calls < 4; calls += 1) await at(number);
    expect(new Set(read).size).toBe(read.length);
    expect(Math.max(...read)).toBe(999);
    expect([...(await at(1_063))]).toEqual([found(1_000, 1_063)]);
  });

  it('ignores the body of a block that most nodes do not have, and reads that block again', async () => {
    const lane = laneWith(503, around, { nodes: [{ branch: 'b' }, { branch: 'a', top: 400 }, { branch: 'c' }] });
    expect([...(await find(lane))]).toEqual([]);
    lane.nodes[0] = { branch: 'a' };
    lane.nodes[1] = { branch: 'a' };
    expect([...(await find(lane, 60_000))]).toEqual([found(503)]);
  });

  it('ignores a block that is final at the head of the driver alone', async () => {
    const nodes = [{ branch: 'a' }, { branch: 'a', top: 510 }, { branch: 'a', top: 510 }];
    expect([...(await find(laneWith(503, around, { finality: 12, nodes })))]).toEqual([]);
    const most = [{ branch: 'a' }, { branch: 'a', top: 514 }, { branch: 'a', top: 510 }];
    expect([...(await find(laneWith(503, around, { finality: 12, nodes: most })))]).toEqual([found(503, 514)]);
  });

  it('ignores a block that is final only by the number which a node names as its newest', async () => {
    const nodes = [{ branch: 'a', top: 510, named: 2_000 }];
    expect([...(await find(laneWith(503, around, { finality: 12, nodes })))]).toEqual([]);
  });

  it('ignores what one of three nodes shows in a block of which the others have no such receipt', async () => {
    const nodes = [{ branch: 'a' }, { branch: 'a', mined: 5_000 }, { branch: 'a', mined: 504 }];
    const lane = laneWith(503, around, { nodes });
    expect([...(await find(lane))]).toEqual([]);
    lane.nodes[1] = { branch: 'a' };
    expect([...(await find(lane, 60_000))]).toEqual([found(503)]);
  });

  const wrongDigit = `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`;
  it.each<[string, object]>([
    ['a digit of its hash', { ...used, hash: wrongDigit }],
    ['its nonce', { ...used, nonce: '0x5' }],
    ['its call', { ...used, input: '0x1234' }],
    ['its signature', { ...used, s: `0x${'7'.repeat(64)}` }],
    ['its signature, by the other one of its signer', flipped],
    ['its chain, where the wallet has signed it', elsewhere],
    ['all of it', { from: wallet, nonce: '0x4', hash: wrongDigit }],
  ])('believes no node that falsifies %s', async (_, says) => {
    const alone = laneWith(503, around, { nodes: [{ branch: 'a', says }] });
    expect([...(await find(alone))]).toEqual([]);
    const others = [{ branch: 'a' }, { branch: 'a' }];
    expect([...(await find(laneWith(503, around, { nodes: [{ branch: 'a', says }, ...others] })))]).toEqual([
      found(503),
    ]);
  });
});
