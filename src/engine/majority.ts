// Majority votes of a chain's nodes, each asked by itself: of three, one may lie; two cannot outvote each other. Nodes
// that are out of order have no vote, except where a nonce is proven lost.
import type { Hex, Log } from 'viem';
import { classifyCallReply } from '../chains/rpc-error.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { readResult } from '../chains/rpc-transport.ts';
import { isMost, saidByMost } from '../chains/votes.ts';
import { headerOf, receiptOf, resultOf, toHex, toQuantity, type Receipt } from '../chains/rpc-values.ts';
import type { LaneChain } from './lane-context.ts';
import { lowerMedian } from './lower-median.ts';

/** A transaction in a block, and how deep it is said to be. */
export interface Mined {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** The number of blocks from its own to the head; 1 in the newest. */
  readonly depth: number;
  /** Undefined: not known. */
  readonly receipt?: Receipt;
}

/**
 * Whether all of these are final for more than half of a chain's nodes, each asked by itself: they have the receipts,
 * in the block, and the block that makes it final. What one names as its newest block may be false, and so may the
 * transactions that it shows in a true block. A node that does not answer has not said so: what rests on the answer can
 * wait for it, and a nonce that is given up wrongly executes an order twice.
 */
export async function areFinalForMost(
  { rpc, finality }: Pick<LaneChain, 'rpc' | 'finality'>,
  transactions: readonly Omit<Mined, 'depth'>[],
): Promise<boolean> {
  const mined = transactions.map((one) => ({ ...one, depth: finality }));
  const votes = await votesOfEach(rpc, mined);
  return mined.every((one) => isMost(votes.filter((receipts) => receipts.has(one)).length, rpc.providers));
}

/**
 * The final transactions of which more than half of a chain's nodes, each asked by itself, have a receipt that meets a
 * condition. As for {@link areFinalForMost}, a node that does not answer counts against it: an order would be executed
 * twice if the result were false.
 */
export async function finalForMost<One extends Omit<Mined, 'depth'>>(
  { rpc, finality }: Pick<LaneChain, 'rpc' | 'finality'>,
  mined: readonly One[],
  isMet: (one: One, receipt: Receipt) => boolean,
): Promise<readonly One[]> {
  if (mined.length === 0) return [];
  const votes = await votesOfEach(rpc, [
    ...new Map(mined.map((one) => [one.hash, { ...one, depth: finality }])).values(),
  ]);
  return mined.filter((one) => {
    const receipts = votes.flatMap((each) => [...each].flatMap(([{ hash }, own]) => (hash === one.hash ? [own] : [])));
    return isMost(receipts.filter((receipt) => isMet(one, receipt)).length, rpc.providers);
  });
}

/**
 * The receipts that more than half of the nodes report, in the same block and as deep; the others are left out. The end
 * of an order never rests on one node of three, even if it is the only one that answers. Two nodes cannot outvote each
 * other, so with one or two none is asked.
 */
export async function receiptsOfMost<One extends Mined & { readonly receipt: Receipt }>(
  { rpc }: Pick<LaneChain, 'rpc'>,
  mined: readonly One[],
): Promise<ReadonlyMap<One, Receipt>> {
  if (rpc.providers < 3) return new Map(mined.map((one) => [one, one.receipt]));
  return await askMost(rpc, mined);
}

/** Those of which most nodes report the same, as {@link receiptsOfMost}, and what is known of their receipts. */
export async function agreedByMost<One extends Mined>(
  { rpc }: Pick<LaneChain, 'rpc'>,
  mined: readonly One[],
): Promise<readonly One[]> {
  if (rpc.providers < 3) return mined;
  const reported = await askMost(rpc, mined);
  return mined.filter((one) => {
    const most = reported.get(one);
    return most !== undefined && (one.receipt === undefined || outcomeOf(one.receipt) === outcomeOf(most));
  });
}

async function askMost<One extends Mined>(
  rpc: LaneChain['rpc'],
  mined: readonly One[],
): Promise<ReadonlyMap<One, Receipt>> {
  if (mined.length === 0) return new Map();
  // Orders of a bundle share a transaction: ask once.
  const same = Map.groupBy(mined, ({ hash, blockHash, depth }) => [hash, blockHash, depth].join());
  const distinct = [...same.values()].flatMap(([one]) => one ?? []);
  const votes = await votesOfEach(rpc, distinct);
  return new Map(
    [...same.values()].flatMap((all) => {
      const receipts = votes.flatMap((own) => all.flatMap((one) => own.get(one) ?? []));
      const most = saidByMost(receipts, outcomeOf, votes.length);
      const [receipt] = most;
      if (receipt === undefined) return [];
      // No single node decides the fee: take the median.
      const median = (field: 'gasUsed' | 'effectiveGasPrice') =>
        lowerMedian(most, (own) => own[field])?.[field] ?? receipt[field];
      const charged = { gasUsed: median('gasUsed'), effectiveGasPrice: median('effectiveGasPrice') };
      return all.map((one) => [one, { ...receipt, ...charged }] as const);
    }),
  );
}

/** For each node, the receipts that it has of these, in the block and as deep. */
async function votesOfEach<One extends Mined>(
  rpc: LaneChain['rpc'],
  mined: readonly One[],
): Promise<readonly ReadonlyMap<One, Receipt>[]> {
  const tops = [...new Set(mined.map(({ blockNumber, depth }) => blockNumber + depth - 1))];
  const calls: RpcCall[] = [
    ...tops.map((top) => ({ method: 'eth_getBlockByNumber', params: [toHex(top), false] })),
    ...mined.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ];
  const votes = await rpc.requestOfEach([calls]);
  return votes.map((replies) => {
    const reached = new Set(tops.filter((top, index) => headerOf(replies[index])?.number === top));
    const receipts = mined.flatMap((one, index) => {
      const own = receiptOf(replies[tops.length + index], one.hash);
      const isThere = own?.blockHash === one.blockHash && own.blockNumber === one.blockNumber;
      return isThere && reached.has(one.blockNumber + one.depth - 1) ? [[one, own] as const] : [];
    });
    return new Map(receipts);
  });
}

/** What a receipt says of its transaction, to be compared with another's. */
function outcomeOf({ status, logs }: Receipt): string {
  return JSON.stringify([status, logs.map(({ address, topics, data }) => [address, topics, data])]);
}

/**
 * Whether most nodes say that they have the receipt of none of these transactions: of one or two, of those that answer.
 */
export async function areAbsentForMost({ rpc }: Pick<LaneChain, 'rpc'>, hashes: readonly Hex[]): Promise<boolean> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
  const each = await rpc.requestOfEach(calls);
  const votes = rpc.providers < 3 ? each.filter((replies) => replies.some((reply) => 'result' in reply)) : each;
  const absent = votes.filter((replies) => replies.every((reply) => resultOf(reply) === null));
  return isMost(absent.length, votes.length);
}

/**
 * The replies to reads of a block: with three nodes or more what more than half of them say, and otherwise {@link
 * answersTo}. Where no more say the same, the reply is lost.
 */
export async function repliesOfMost(rpc: LaneChain['rpc'], calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  if (rpc.providers < 3) return await answersTo(rpc, calls);
  return mostFrequentReplies(calls, await rpc.requestOfEach(calls));
}

/**
 * For each call, what more than half of the nodes say, and the median of their estimates; lost if no more say the same.
 * @param each The replies of each node.
 */
export function mostFrequentReplies(
  calls: readonly RpcCall[],
  each: readonly (readonly RpcReply[])[],
): readonly RpcReply[] {
  return calls.map((call, index) => {
    const replies = each.flatMap((own) => own[index] ?? []);
    const meaning = (reply: RpcReply) => meaningOf(call, reply);
    const most = saidByMost(replies, meaning, each.length);
    const [first] = most;
    if (first !== undefined && meaning(first) === ESTIMATED) return lowerMedian(most, gasOf) ?? first;
    // Some nodes leave out why a call reverts.
    const reply = most.find((one) => 'error' in one && one.error.data !== undefined) ?? first;
    const unclear = replies.find((one) => meaning(one) === undefined);
    return reply ?? unclear ?? { lost: 'the nodes say different things' };
  });
}

/** What an estimate says, however much it is: nodes estimate differently. */
const ESTIMATED = 'estimated';

function gasOf(reply: RpcReply): bigint {
  return toQuantity(resultOf(reply)) ?? 0n;
}

/** What a reply says of its call, to be compared with another's; undefined: nothing. */
function meaningOf({ method, params: [hash] }: RpcCall, reply: RpcReply): string | undefined {
  const outcome = classifyCallReply(reply, (result) => ({ result }));
  if (outcome.kind === 'unknown') return undefined;
  if (outcome.kind === 'reverted') return 'reverted';
  const { result } = outcome.value;
  if (method === 'eth_estimateGas') return toQuantity(result) === undefined ? undefined : ESTIMATED;
  if (method !== 'eth_getTransactionReceipt' || result === null) return JSON.stringify(result);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the receipt is asked by
  const receipt = receiptOf(reply, hash as Hex);
  return receipt && receipt.blockHash + outcomeOf(receipt);
}

/**
 * The logs that more than half of three nodes or more have, and all of fewer nodes: one may hide some.
 * @param lists Of each node that has the block. @param voters How many nodes were asked.
 * @returns oldest first; undefined if most nodes neither have nor lack one of them.
 */
export function logsOfMost(
  { rpc }: { readonly rpc: Pick<LaneChain['rpc'], 'providers'> },
  lists: readonly (readonly Log[])[],
  voters: number,
): readonly Log[] | undefined {
  const byName = lists.map((logs) => new Map(logs.map((log) => [nameOf(log), log])));
  const groups = [
    ...Map.groupBy(
      byName.flatMap((logs) => [...logs.values()]),
      nameOf,
    ).values(),
  ];
  const isOfMost = (count: number) => rpc.providers < 3 || isMost(count, voters);
  const isKnown = ({ length }: readonly Log[]) => isOfMost(length) || isOfMost(lists.length - length);
  if (!isOfMost(lists.length) || !groups.every(isKnown)) return undefined;
  return groups
    .filter(({ length }) => isOfMost(length))
    .flatMap(([log]) => log ?? [])
    .toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex));
}

function nameOf({ blockHash, transactionHash, logIndex, address, topics, data }: Log): string {
  return JSON.stringify([blockHash, transactionHash, logIndex, address, topics, data]);
}

/**
 * The replies of one node or two. What the first one does not answer, or refuses, each is asked: a refusal is final, so
 * that it counts only if none answers.
 */
async function answersTo(rpc: LaneChain['rpc'], calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
  const replies = await rpc.requestInParallel(calls);
  const doubtful = [...calls.keys()].filter((index) => !isAnswered(calls[index], replies[index]));
  if (doubtful.length === 0 || rpc.providers === 1) return replies;
  const each = await rpc.requestOfEach(calls.filter((_, index) => doubtful.includes(index)));
  return replies.map((reply, index) => {
    const call = calls[index];
    if (isAnswered(call, reply)) return reply;
    const all = each.flatMap((one) => one[doubtful.indexOf(index)] ?? []);
    return all.find((one) => isAnswered(call, one)) ?? all.find(isRefusal) ?? reply;
  });
}

function isRefusal(reply: RpcReply): boolean {
  return classifyCallReply(reply, toQuantity).kind === 'reverted';
}

function isAnswered(call: RpcCall | undefined, reply: RpcReply | undefined): boolean {
  const result = resultOf(reply);
  if (call?.method === 'eth_getTransactionReceipt') return result !== undefined && result !== null;
  return call !== undefined && readResult(call.method, result) !== undefined;
}
