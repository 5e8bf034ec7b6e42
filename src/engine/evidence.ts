// What nodes say of a chain, weighed: any of them may lie, lag or follow another branch.
import type { Hex } from 'viem';
import type { RpcCall } from '../chains/rpc-exchange.ts';
import { headerOf, receiptOf, resultOf, toHex, type Receipt } from '../chains/rpc-values.ts';
import type { HeadObservation } from '../platform/database/schema.ts';
import { readHeads, type ChainHead } from './chain-head.ts';
import type { Job } from './job.ts';
import type { LaneChain, LaneContext } from './lane-context.ts';

/** What a lane has observed, and the nonces that it knows to be used or has given to transactions. */
interface KnownNonces {
  readonly observations: readonly HeadObservation[];
  readonly floor: number;
  readonly held: ReadonlySet<number>;
}

/** A head this many blocks from the last observation needs witnesses. */
const LEAP = 256;
/** How far apart the heads of nodes may be that agree, where there is reason to doubt the first one's. */
const DOUBT = 8;
/** The most by which a chain may be faster than its block time. */
const MAX_SPEED = 10;

/**
 * The head on which the driver may act. One far from the newest observation, as every first one is, or with a count above what the lane has
 * signed, must agree with more than half of the nodes that answer, each asked by itself; a single node must say so twice. Otherwise one false reply
 * could reserve nonces that are never reached, or make shallow blocks count as deep. If it does not, or there is none, a head takes its place with
 * which most nodes agree. Where there is reason to doubt, or the head is old, it is the newest one that half of the nodes have reached, with the base
 * fee that half of them name.
 * @param head What the first node that answers has reported; undefined if that is unusable.
 * @param hasDoubts Whether what the head implies is not found, so that the nodes are to be asked however near it is.
 * @returns `head`: undefined if there is none; `observations`: without those far above what most nodes have, which were false.
 */
export async function credibleHead(
  { chain, lane, services, observations, floor, held }: LaneContext & KnownNonces,
  head: ChainHead | undefined,
  hasDoubts = false,
): Promise<{ readonly head: ChainHead | undefined; readonly observations: readonly HeadObservation[] }> {
  const last = observations.at(-1);
  const known = Math.max(floor, last?.[1] ?? 0, ...Array.from(held, (nonce) => nonce + 1));
  const newest = Math.max(...observations.map(([block]) => block));
  const isNear = (number: number) => last !== undefined && number - last[0] <= LEAP && newest - number <= LEAP;
  const isAlone = chain.rpc.providers === 1;
  const isDoubtful = hasDoubts || (!isAlone && head !== undefined && isOld(head, chain.blockTimeMs));
  if (!isDoubtful && head !== undefined && isNear(head.number) && head.count <= known) return { head, observations };
  if (head === undefined && isAlone) return { head, observations };
  const heads = await readHeads(chain.rpc, lane, () => services.clock.now());
  const witnesses = isAlone && head !== undefined ? [head, ...heads] : heads;
  const isOfMost = (agreeing: readonly unknown[]) => agreeing.length * 2 > witnesses.length;
  const isTrue = ([block]: HeadObservation) => !isOfMost(witnesses.filter((witness) => witness.number < block - LEAP));
  const credible = observations.filter(isTrue);
  const slack = isDoubtful ? DOUBT : LEAP;
  const all = [...(head === undefined ? [] : [head]), ...heads];
  const candidates = isDoubtful ? reachedByHalf(all, witnesses) : all;
  const agreed = candidates.find(
    (candidate) =>
      isPlausible(credible, [candidate.number, candidate.count]) &&
      isOfMost(witnesses.filter((witness) => agrees(witness, candidate, known, chain.blockTimeMs, slack))),
  );
  const baseFee = isDoubtful ? medianBaseFee(witnesses) : undefined;
  const isSame = baseFee === undefined || baseFee === agreed?.baseFee;
  return { head: isSame ? agreed : agreed && { ...agreed, baseFee }, observations: credible };
}

/** A head is old after this time, or as many of the chain's block times: its node may have stalled. */
const OLD_MS = 60_000;
const OLD_BLOCKS = 10;

function isOld({ timestamp, readAt }: ChainHead, blockTimeMs: number): boolean {
  return readAt - timestamp * 1_000 > Math.max(OLD_MS, OLD_BLOCKS * blockTimeMs);
}

/** The heads that at least half of the nodes have reached, the newest first. */
function reachedByHalf(heads: readonly ChainHead[], witnesses: readonly ChainHead[]): readonly ChainHead[] {
  const isReached = ({ number }: ChainHead) =>
    witnesses.filter((witness) => witness.number >= number).length * 2 >= witnesses.length;
  return heads.filter(isReached).toSorted((a, b) => b.number - a.number);
}

/** The base fee that as many nodes exceed as stay below; undefined without nodes. */
function medianBaseFee(witnesses: readonly ChainHead[]): bigint | undefined {
  const fees = witnesses.map(({ baseFee }) => baseFee).toSorted((a, b) => (a < b ? -1 : 1));
  return fees[Math.floor(fees.length / 2)];
}

/** A witness whose block is this much older says nothing about what was mined since. */
const LAG_MS = 60_000;

/**
 * A witness may lag: the chain has come further since its block, as far as the time between the two blocks allows, but not beyond now. One that
 * is hardly behind has every transaction that the lane has not signed.
 */
function agrees(witness: ChainHead, head: ChainHead, known: number, blockTimeMs: number, slack: number): boolean {
  const msSince = Math.max(0, Math.min(head.timestamp * 1_000, head.readAt) - witness.timestamp * 1_000);
  const blocksSince = Math.max(0, head.number - witness.number);
  const countSince = msSince > LAG_MS ? MAX_TRANSACTIONS_PER_BLOCK * blocksSince : 0;
  return (
    blocksSince <= slack + (MAX_SPEED * msSince) / blockTimeMs &&
    head.count <= Math.max(known, witness.count + countSince)
  );
}

/** A transaction in a block, and how deep it is said to be. */
export interface Mined {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** In blocks; 1 in the newest. */
  readonly depth: number;
  /** What its receipt says; undefined: not known. */
  readonly receipt?: Receipt;
}

/**
 * Whether all of these are final for more than half of a chain's nodes, each asked by itself: they have the receipts, in the block, and the block that
 * makes it final. What one names as its newest block may be false, and so may the transactions that it shows in a true block. A node that does not
 * answer has not said so: what rests on the answer can wait for it, and a nonce that is given up wrongly executes an order twice.
 */
export async function areFinalForMost(
  { rpc, finality }: Pick<LaneChain, 'rpc' | 'finality'>,
  transactions: readonly Omit<Mined, 'depth'>[],
): Promise<boolean> {
  const mined = transactions.map((one) => ({ ...one, depth: finality }));
  const votes = await votesOfEach(rpc, mined);
  return mined.every((one) => votes.filter(({ agrees }) => agrees.has(one)).length * 2 > votes.length);
}

/**
 * Which of these are not contradicted by most of the nodes that answer: what ends an order rests on no single one of three. Two cannot outvote each
 * other, so of two or one nobody is asked.
 */
export async function agreedByMost<One extends Mined>(
  { rpc }: Pick<LaneChain, 'rpc'>,
  mined: readonly One[],
): Promise<readonly One[]> {
  if (rpc.providers < 3 || mined.length === 0) return mined;
  const votes = (await votesOfEach(rpc, mined)).filter(({ hasAnswered }) => hasAnswered);
  return mined.filter((one) => votes.filter(({ agrees }) => agrees.has(one)).length * 2 > votes.length);
}

/** For each node, whether it answers, and what of this it has. */
async function votesOfEach<One extends Mined>(
  rpc: LaneChain['rpc'],
  mined: readonly One[],
): Promise<readonly { readonly hasAnswered: boolean; readonly agrees: ReadonlySet<One> }[]> {
  const tops = [...new Set(mined.map(({ blockNumber, depth }) => blockNumber + depth - 1))];
  const calls: RpcCall[] = [
    ...tops.map((top) => ({ method: 'eth_getBlockByNumber', params: [toHex(top), false] })),
    ...mined.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ];
  const votes = await rpc.requestOfEach(calls);
  return votes.map((replies) => {
    const reached = new Set(tops.filter((top, index) => headerOf(replies[index])?.number === top));
    const has = ({ hash, blockNumber, blockHash, depth, receipt }: One, index: number) => {
      const own = receiptOf(replies[tops.length + index], hash);
      if (own?.blockHash !== blockHash || own.blockNumber !== blockNumber) return false;
      return reached.has(blockNumber + depth - 1) && (receipt === undefined || saysTheSame(own, receipt));
    };
    return { hasAnswered: replies.some((reply) => 'result' in reply), agrees: new Set(mined.filter(has)) };
  });
}

/** Whether two receipts report the same outcome. */
function saysTheSame(one: Receipt, other: Receipt): boolean {
  const outcome = ({ status, logs }: Receipt) =>
    JSON.stringify([status, logs.map(({ address, topics, data }) => [address, topics, data])]);
  return outcome(one) === outcome(other);
}

/** Whether more than half of the nodes that answer say that they have the receipt of none of these transactions. */
export async function areAbsentForMost({ rpc }: Pick<LaneChain, 'rpc'>, hashes: readonly Hex[]): Promise<boolean> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
  const votes = (await rpc.requestOfEach(calls)).filter((replies) => replies.some((reply) => 'result' in reply));
  const absent = votes.filter((replies) => replies.every((reply) => resultOf(reply) === null));
  return absent.length * 2 > votes.length;
}

/** A block that most nodes still lack after this time is one that no node will ever have: whoever named it was wrong. */
const PATIENCE_MS = 3_600_000;

/**
 * Which of the jobs cannot be decided at a head, because it lacks the block on which they rest (`notBeforeBlock`). Each waits until a node has
 * that block, or until more than half of the nodes have lacked it for an hour; what is signed then rests on it no longer.
 */
export async function lackingBlock(
  { services: { clock }, chain, lane }: LaneContext,
  jobs: readonly Job[],
  head: Pick<ChainHead, 'number'>,
): Promise<ReadonlySet<Job>> {
  const below = jobs.filter(({ transaction }) => head.number < (transaction.notBeforeBlock ?? 0));
  const isOld = ({ transaction: { state, holdReason, heldSince, updatedAt } }: Job) => {
    // What is signed is not held; what was held for something else has not waited for the block.
    const since = state === 'signed' ? updatedAt : holdReason === 'not-now' ? heldSince : null;
    return since !== null && clock.now() - since.getTime() >= PATIENCE_MS;
  };
  if (!below.some(isOld)) return new Set(below);
  const heads = await readHeads(chain.rpc, lane, () => clock.now());
  const isLacking = ({ transaction }: Job) =>
    heads.filter(({ number }) => number < (transaction.notBeforeBlock ?? 0)).length * 2 > heads.length;
  return new Set(below.filter((job) => !isOld(job) || !isLacking(job)));
}

const MAX_OBSERVATIONS = 32;
/** The block and the count of one observation may come from nodes that are this many blocks apart. */
const SLACK = 8;

/** Adds an observation. Of several with the same count the newest block is kept, because a later transaction comes after it. */
export function withObservation(
  observations: readonly HeadObservation[],
  observation: HeadObservation,
): readonly HeadObservation[] {
  const [block, count] = observation;
  const last = observations.at(-1);
  if (last !== undefined && last[1] === count) {
    return block > last[0] ? [...observations.slice(0, -1), observation] : observations;
  }
  return [...observations, observation].slice(-MAX_OBSERVATIONS);
}

/**
 * The range of blocks in which a nonce was used. An observation may include blocks that were reorganized out later, so it
 * only bounds the canonical chain up to the last common block.
 * @param finality The chain's finality depth.
 * @returns `after`: the highest block at which the nonce was unused; `to`: the lowest at which it was used. Undefined if
 *   no observation says so.
 */
export function blockRangeOfNonce(
  observations: readonly HeadObservation[],
  nonce: number,
  finality: number,
): { readonly after: number | undefined; readonly to: number | undefined } {
  const before = observations.filter(([, count]) => count <= nonce).map(([block]) => block);
  const used = observations.filter(([, count]) => count > nonce).map(([block]) => block);
  return {
    after: before.length === 0 ? undefined : Math.max(0, Math.max(...before) - SLACK - (finality - 1)),
    to: used.length === 0 || finality > 1 ? undefined : Math.min(...used) + SLACK,
  };
}

/** More transactions of one wallet than this do not fit into a block. */
const MAX_TRANSACTIONS_PER_BLOCK = 2_000;

/**
 * Whether the wallet's count can have grown this much since the last observation. A faulty node must not cause nonces to
 * be assigned that can never be mined.
 * @internal Exported for its unit test.
 */
export function isPlausible(observations: readonly HeadObservation[], [block, count]: HeadObservation): boolean {
  const last = observations.at(-1);
  if (last === undefined) return true;
  const [lastBlock, lastCount] = last;
  return count <= lastCount + MAX_TRANSACTIONS_PER_BLOCK * (Math.max(0, block - lastBlock) + 1);
}
