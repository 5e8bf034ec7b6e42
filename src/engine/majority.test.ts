import { describe, expect, it } from 'vitest';
import { keccak256, toHex, zeroAddress, type Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { receiptOf } from '../chains/rpc-values.ts';
import {
  agreedByMost,
  areAbsentForMost,
  areFinalForMost,
  finalForMost,
  logsOfMost,
  receiptsOfMost,
  repliesOfMost,
} from './majority.ts';

const BLOCK = 100;
const blockHash = keccak256('0xb1');
const hash = keccak256('0x01');
const transfer = { address: zeroAddress, topics: [], data: '0x01' };
const receipt = {
  transactionHash: hash,
  blockNumber: toHex(BLOCK),
  blockHash,
  gasUsed: '0x1',
  status: '0x1',
  logs: [transfer],
};

/** What a node has: its newest block, and what it says of the transaction; null: it does not answer. */
type TestNode = { readonly top?: number; readonly says?: object | null } | null;

const HAS_IT: TestNode = {};
const LACKS_IT: TestNode = { says: null };

/** @param asked Receives the number of nodes that are asked. */
function chainOf(nodes: readonly TestNode[], asked: (nodes: number) => void = () => {}) {
  const answer = (node: TestNode, { method, params: [what] }: RpcCall) => {
    if (node === null) return { lost: 'no answer' };
    const { top = BLOCK + 9, says = receipt } = node;
    if (method === 'eth_getTransactionReceipt') return { result: what === hash ? says : null };
    const header = { number: what, hash: keccak256(what as Hex), timestamp: '0x1', gasLimit: '0x1' };
    return { result: Number(what) > top ? null : header };
  };
  const requestOfEach: RpcClient['requestOfEach'] = (calls) => {
    asked(nodes.length);
    return Promise.resolve(nodes.map((node) => calls.flat().map((call) => answer(node, call))));
  };
  return { rpc: { providers: nodes.length, requestOfEach } as RpcClient, finality: 6 };
}

describe('what is mined as deep, as the first node says,', () => {
  const known = receiptOf({ result: receipt }, hash);
  const mined = { hash, blockNumber: BLOCK, blockHash, depth: 3, ...(known && { receipt: known }) };
  const isAgreed = async (nodes: readonly TestNode[]) => (await agreedByMost(chainOf(nodes), [mined])).includes(mined);

  it('is asked of nobody if there are no three nodes, of which one could be outvoted', async () => {
    let asked = 0;
    for (const nodes of [[LACKS_IT], [HAS_IT, LACKS_IT]]) {
      const chain = chainOf(nodes, () => (asked += 1));
      expect(await agreedByMost(chain, [mined])).toEqual([mined]);
    }
    expect(asked).toBe(0);
  });

  it.each<readonly [string, TestNode]>([
    ['lacks it', LACKS_IT],
    ['has it in another block', { says: { ...receipt, blockHash: keccak256('0xb2') } }],
    ['has it at another height', { says: { ...receipt, blockNumber: toHex(BLOCK + 1) } }],
    ['says that it reverted', { says: { ...receipt, status: '0x0' } }],
    ['has other logs of it', { says: { ...receipt, logs: [{ ...transfer, data: '0x02' }] } }],
    ['lacks the block that makes it as deep', { top: BLOCK + 1 }],
  ])('is outvoted by two of three that say otherwise, and not by one: it %s', async (_, node) => {
    expect(await isAgreed([HAS_IT, node, HAS_IT])).toBe(true);
    expect(await isAgreed([HAS_IT, node, node])).toBe(false);
  });

  it('is not decided by one of three, be it the only one that answers', async () => {
    expect(await isAgreed([HAS_IT, null, null])).toBe(false);
    expect(await isAgreed([HAS_IT, LACKS_IT, null])).toBe(false);
    expect(await isAgreed([HAS_IT, HAS_IT, null])).toBe(true);
  });

  it('may be of any outcome if none is known', async () => {
    const { receipt: _, ...placed } = mined;
    const reverted = { says: { ...receipt, status: '0x0' } };
    expect(await agreedByMost(chainOf([HAS_IT, reverted, reverted]), [placed])).toEqual([placed]);
  });

  it('has the outcome that most of them report, whatever the first one does', async () => {
    const reverted = { says: { ...receipt, status: '0x0' } };
    if (known === undefined) throw new Error('It is a receipt');
    const one = { ...mined, receipt: { ...known, status: 'reverted' as const } };
    expect((await receiptsOfMost(chainOf([reverted, HAS_IT, HAS_IT]), [one])).get(one)).toEqual(known);
    expect((await receiptsOfMost(chainOf([reverted, HAS_IT, LACKS_IT]), [one])).size).toBe(0);
    expect((await receiptsOfMost(chainOf([HAS_IT, HAS_IT]), [one])).get(one)).toBe(one.receipt);
  });

  it('is decided one by one', async () => {
    const other = { ...mined, hash: keccak256('0x02') };
    expect(await agreedByMost(chainOf([HAS_IT, HAS_IT, HAS_IT]), [other, mined])).toEqual([mined]);
  });
});

const areFinal = (nodes: readonly TestNode[]) =>
  areFinalForMost(chainOf(nodes), [{ hash, blockNumber: BLOCK, blockHash }]);

describe('transactions that show how a nonce was used', () => {
  it('are final if more than half of all nodes have them in their block, and the block that makes it final', async () => {
    expect(await areFinal([HAS_IT])).toBe(true);
    expect(await areFinal([HAS_IT, HAS_IT, LACKS_IT])).toBe(true);
    expect(await areFinal([HAS_IT, LACKS_IT, LACKS_IT])).toBe(false);
    expect(await areFinal([HAS_IT, LACKS_IT])).toBe(false);
    expect(await areFinal([{ top: BLOCK + 5 }])).toBe(true);
    expect(await areFinal([{ top: BLOCK + 4 }])).toBe(false);
  });

  it('are not final because nodes do not answer', async () => {
    expect(await areFinal([HAS_IT, null, null])).toBe(false);
    expect(await areFinal([HAS_IT, HAS_IT, null])).toBe(true);
  });

  it('are final only together', async () => {
    const both = [hash, keccak256('0x02')].map((one) => ({ hash: one, blockNumber: BLOCK, blockHash }));
    expect(await areFinalForMost(chainOf([HAS_IT]), both)).toBe(false);
  });
});

describe('a receipt that shows what a final transaction did without', () => {
  const SAYS_REVERTED: TestNode = { says: { ...receipt, status: '0x0', logs: [] } };
  const isShown = async (nodes: readonly TestNode[]) => {
    const one = { hash, blockNumber: BLOCK, blockHash };
    const shown = await finalForMost(chainOf(nodes), [one], (_, { status }) => status === 'reverted');
    return shown.includes(one);
  };

  it('is one that more than half of all nodes have: of two both', async () => {
    expect(await isShown([SAYS_REVERTED])).toBe(true);
    expect(await isShown([SAYS_REVERTED, SAYS_REVERTED])).toBe(true);
    expect(await isShown([SAYS_REVERTED, SAYS_REVERTED, HAS_IT])).toBe(true);
    for (const other of [HAS_IT, LACKS_IT, null]) expect(await isShown([SAYS_REVERTED, other])).toBe(false);
    expect(await isShown([SAYS_REVERTED, HAS_IT, HAS_IT])).toBe(false);
    expect(await isShown([SAYS_REVERTED, null, null])).toBe(false);
  });

  it('is of a block that is final for them', async () => {
    expect(await isShown([{ ...SAYS_REVERTED, top: BLOCK + 5 }])).toBe(true);
    expect(await isShown([{ ...SAYS_REVERTED, top: BLOCK + 4 }])).toBe(false);
  });
});

const areAbsent = (nodes: readonly TestNode[]) => areAbsentForMost(chainOf(nodes), [keccak256('0x02'), hash]);

describe('the transactions of an order', () => {
  it('are absent if most nodes have none of them, of two those that answer', async () => {
    expect(await areAbsent([LACKS_IT])).toBe(true);
    expect(await areAbsent([HAS_IT, LACKS_IT, LACKS_IT])).toBe(true);
    expect(await areAbsent([LACKS_IT, HAS_IT, HAS_IT])).toBe(false);
    expect(await areAbsent([LACKS_IT, HAS_IT])).toBe(false);
    expect(await areAbsent([LACKS_IT, null, null])).toBe(false);
    expect(await areAbsent([LACKS_IT, null])).toBe(true);
  });

  it('are not absent because nobody answers', async () => {
    expect(await areAbsent([null])).toBe(false);
  });
});

const value = (result: unknown): RpcReply => ({ result });
const reverts: RpcReply = { error: { code: 3, message: 'execution reverted', data: '0x' } };

describe('the replies to reads of a block', () => {
  const call = { method: 'eth_call', params: [] };
  const behind: RpcReply = { error: { code: -32_000, message: 'header not found', data: undefined } };
  const replyOf = async (replies: readonly RpcReply[]) => {
    const requestOfEach: RpcClient['requestOfEach'] = () => Promise.resolve(replies.map((reply) => [reply]));
    const requestInParallel: RpcClient['requestInParallel'] = async () => replies.slice(0, 1);
    const [reply] = await repliesOfMost({ providers: replies.length, requestOfEach, requestInParallel } as RpcClient, [
      call,
    ]);
    return reply;
  };

  it('of three nodes are what two say, be it that a call reverts', async () => {
    expect(await replyOf([value('0x01'), value('0x02'), value('0x02')])).toEqual(value('0x02'));
    expect(await replyOf([value('0x01'), reverts, reverts])).toEqual(reverts);
    expect(await replyOf([reverts, value('0x01'), value('0x01')])).toEqual(value('0x01'));
  });

  it('are none if no two of three nodes say the same', async () => {
    expect(await replyOf([value('0x01'), value('0x02'), reverts])).toHaveProperty('lost');
    expect(await replyOf([value('0x01'), value('0x02'), behind])).toEqual(behind);
    expect(await replyOf([value('0x01'), behind, behind])).toEqual(behind);
    expect(await replyOf([behind, value('0x01'), value('0x01')])).toEqual(value('0x01'));
  });

  it('of two nodes are those of the first one that answers', async () => {
    expect(await replyOf([value('0x01'), value('0x02')])).toEqual(value('0x01'));
    expect(await replyOf([behind, value('0x02')])).toEqual(value('0x02'));
  });
});

describe('an estimate', () => {
  const call = { method: 'eth_estimateGas', params: [] };
  const lost: RpcReply = { lost: 'no answer' };
  const estimateOf = async (replies: readonly RpcReply[]) => {
    const requestOfEach: RpcClient['requestOfEach'] = () => Promise.resolve(replies.map((reply) => [reply]));
    const requestInParallel: RpcClient['requestInParallel'] = () => Promise.resolve(replies.slice(0, 1));
    const rpc = { providers: replies.length, requestOfEach, requestInParallel } as RpcClient;
    return (await repliesOfMost(rpc, [call]))[0];
  };

  it('of three nodes is the median, or of two the lower one', async () => {
    expect(await estimateOf([value('0xffffff'), value('0x9001'), value('0xa000')])).toEqual(value('0xa000'));
    expect(await estimateOf([value('0x5208'), value('0x9001'), value('0xa000')])).toEqual(value('0x9001'));
    expect(await estimateOf([value('abc'), value('0x9001'), value('0xa000')])).toEqual(value('0x9001'));
  });

  it('is refused if two of three nodes refuse it, and not known if no two say the same', async () => {
    expect(await estimateOf([reverts, reverts, value('0x1')])).toEqual(reverts);
    expect(await estimateOf([reverts, value('0x1'), value('0x1')])).toEqual(value('0x1'));
    expect(await estimateOf([reverts, lost, lost])).toHaveProperty('lost');
    expect(await estimateOf([lost, lost, value('0x1')])).toHaveProperty('lost');
  });

  it('of two is that of the first one whose answer is one, and refused if none has one', async () => {
    expect(await estimateOf([reverts, lost])).toEqual(reverts);
    expect(await estimateOf([reverts, value('0x1')])).toEqual(value('0x1'));
    expect(await estimateOf([value('abc'), value('0x1')])).toEqual(value('0x1'));
  });
});

const of = (providers: number) => ({ rpc: { providers } });

describe('logs', () => {
  const log = {
    blockHash,
    transactionHash: hash,
    logIndex: 0,
    address: zeroAddress,
    topics: [],
    data: '0x01',
  } as never;
  const other = {
    blockHash,
    transactionHash: hash,
    logIndex: 1,
    address: zeroAddress,
    topics: [],
    data: '0x02',
  } as never;

  it('are those that more than half of three nodes have, however often one names them', () => {
    expect(logsOfMost(of(3), [[], [log], [log]], 3)).toEqual([log]);
    expect(logsOfMost(of(3), [[log, log], [], []], 3)).toEqual([]);
  });

  it('are those of the only one of three that is not out of order', () => {
    expect(logsOfMost(of(3), [[log]], 1)).toEqual([log]);
  });

  it('are not known if no two of three nodes have or lack one of them', () => {
    expect(logsOfMost(of(3), [[log], []], 3)).toBeUndefined();
    expect(logsOfMost(of(3), [[log]], 3)).toBeUndefined();
    expect(logsOfMost(of(3), [[log], [log]], 3)).toEqual([log]);
    expect(logsOfMost(of(3), [[], []], 3)).toEqual([]);
  });

  it('are all that either of two nodes has, in the order of the chain', () => {
    expect(logsOfMost(of(2), [[other], [log, other]], 2)).toEqual([log, other]);
  });
});
