// What nodes say of a chain, weighed: any of them may lie, lag or follow another branch.
import { MAX_SPEED } from '../chains/definition.ts';
import { isMost } from '../chains/votes.ts';
import type { HeadObservation } from '../platform/database/schema.ts';
import { readHeads, type ChainHead } from './chain-head.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { lowerMedian } from './lower-median.ts';

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

/**
 * The head on which the driver may act. One far from the newest observation, as every first one is, or with a count
 * above what the lane has signed, must agree with more than half of the nodes that answer, each asked by itself; a
 * single node must say so twice. Otherwise one false reply could reserve nonces that are never reached, or make shallow
 * blocks count as deep. If it does not, or there is none, a head takes its place with which most nodes agree. Where
 * there is reason to doubt, or the head is stale, it is the newest one that half of the nodes have reached, with the
 * medians of what the nodes near it name.
 * @param head What the first node that answers has reported; undefined if that is unusable.
 * @param hasDoubts Whether what the head implies is not found, so that the nodes are to be asked however near it is.
 * @returns `head`: undefined if there is none; `dropped`: the observations that are false, far above what most nodes
 *   have.
 */
export async function credibleHead(
  { chain, lane, services, observations, floor, held }: LaneContext & KnownNonces,
  head: ChainHead | undefined,
  hasDoubts = false,
): Promise<{ readonly head: ChainHead | undefined; readonly dropped: readonly HeadObservation[] }> {
  const last = observations.at(-1);
  const known = Math.max(floor, last?.[1] ?? 0, ...Array.from(held, (nonce) => nonce + 1));
  const newest = Math.max(...observations.map(([block]) => block));
  const isNear = (number: number) => last !== undefined && number - last[0] <= LEAP && newest - number <= LEAP;
  const isAlone = chain.rpc.providers === 1;
  const isDoubtful = hasDoubts || (!isAlone && head !== undefined && isStale(head, chain.blockTimeMs));
  if (!isDoubtful && head !== undefined && isNear(head.number) && head.count <= known) return { head, dropped: [] };
  if (head === undefined && isAlone) return { head, dropped: [] };
  const heads = await readHeads(chain.rpc, lane, () => services.clock.now());
  const witnesses = isAlone && head !== undefined ? [head, ...heads] : heads;
  const isOfMost = (agreeing: readonly unknown[]) => isMost(agreeing.length, witnesses.length);
  const isFalse = ([block]: HeadObservation) => isOfMost(witnesses.filter((witness) => witness.number < block - LEAP));
  const dropped = observations.filter(isFalse);
  const credible = observations.filter((one) => !dropped.includes(one));
  const slack = isDoubtful ? DOUBT : LEAP;
  const all = [...(head === undefined ? [] : [head]), ...heads];
  const candidates = isDoubtful ? reachedByHalf(all, witnesses).map((one) => withMedians(one, witnesses)) : all;
  const agreed = candidates.find(
    (candidate) =>
      isPlausible(credible, [candidate.number, candidate.count]) &&
      isOfMost(witnesses.filter((witness) => agrees(witness, candidate, known, chain.blockTimeMs, slack))),
  );
  return { head: agreed, dropped };
}

/** A head is stale after this time, or as many of the chain's block times: its node may have stalled. */
const STALE_MS = 60_000;
const STALE_BLOCKS = 10;

function isStale({ timestamp, readAt }: ChainHead, blockTimeMs: number): boolean {
  return readAt - timestamp * 1_000 > Math.max(STALE_MS, STALE_BLOCKS * blockTimeMs);
}

/** The heads that at least half of the nodes have reached, the newest first. */
function reachedByHalf(heads: readonly ChainHead[], witnesses: readonly ChainHead[]): readonly ChainHead[] {
  const isReached = ({ number, hash }: ChainHead) =>
    !isMost(witnesses.filter((witness) => witness.number <= number && witness.hash !== hash).length, witnesses.length);
  return heads.filter(isReached).toSorted((a, b) => b.number - a.number);
}

/** A head with the medians of what the nodes near it name: the highest value that more than half of them reach. */
function withMedians(head: ChainHead, witnesses: readonly ChainHead[]): ChainHead {
  const near = witnesses.filter(({ number }) => Math.abs(number - head.number) <= DOUBT);
  const median = <Value extends bigint | number>(valueOf: (witness: ChainHead) => Value) =>
    valueOf(lowerMedian(near, valueOf) ?? head);
  const count = median((witness) => witness.count);
  return {
    ...head,
    gasLimit: median(({ gasLimit }) => gasLimit),
    baseFee: median(({ baseFee }) => baseFee),
    tip: median(({ tip }) => tip),
    balance: median(({ balance }) => balance),
    count,
    paid: count,
    fundsAt: head.readAt,
    isOfMost: true,
  };
}

/** A witness whose block is this much older says nothing about what was mined since. */
const LAG_MS = 60_000;

/**
 * A witness may lag: the chain has come further since its block, as far as the time between the two blocks allows, but
 * not beyond now. One that is hardly behind has every transaction that the lane has not signed.
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

/**
 * A block that most nodes still lack after this time is one that no node will ever have: whoever named it was wrong.
 */
const PATIENCE_MS = 3_600_000;

/**
 * The jobs that cannot be decided at a head because it lacks the block on which they rest (`notBeforeBlock`). Each
 * waits until a node has that block, or until more than half of the nodes have lacked it for an hour; from then on a
 * signed one no longer rests on it.
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
    isMost(heads.filter(({ number }) => number < (transaction.notBeforeBlock ?? 0)).length, heads.length);
  return new Set(below.filter((job) => !isOld(job) || !isLacking(job)));
}

/** The lowest count of observations; undefined if there is none. What was used below it was used before them. */
export function lowestCount(observations: readonly HeadObservation[]): number | undefined {
  return observations.length === 0 ? undefined : Math.min(...observations.map(([, count]) => count));
}

export const MAX_OBSERVATIONS = 32;
/** The block and the count of one observation may come from nodes that are this many blocks apart. */
const SLACK = 8;

/**
 * Adds an observation. Of several with the same count the newest block is kept, because a later transaction comes after
 * it.
 * @param keepsFirst Whether the first one stays, however many there are.
 */
export function withObservation(
  observations: readonly HeadObservation[],
  observation: HeadObservation,
  keepsFirst = false,
): readonly HeadObservation[] {
  const [block, count] = observation;
  const last = observations.at(-1);
  if (last !== undefined && last[1] === count) {
    return block > last[0] ? [...observations.slice(0, -1), observation] : observations;
  }
  const all = [...observations, observation];
  if (all.length <= MAX_OBSERVATIONS) return all;
  const [first = observation] = keepsFirst ? all : all.slice(-MAX_OBSERVATIONS);
  return [first, ...all.slice(1 - MAX_OBSERVATIONS)];
}

/**
 * The range of blocks in which a nonce was used. An observation may include blocks that were reorganized out later, so
 * it only bounds the canonical chain up to the last common block.
 * @param finality The chain's finality depth.
 * @returns `after`: the highest block at which the nonce was unused; `to`: the lowest at which it was used. Undefined
 *   if no observation says so.
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
 * Whether the wallet's count can have grown this much since the last observation. A faulty node must not cause nonces
 * to be assigned that can never be mined.
 * @internal Exported for its unit test.
 */
export function isPlausible(observations: readonly HeadObservation[], [block, count]: HeadObservation): boolean {
  const last = observations.at(-1);
  if (last === undefined) return true;
  const [lastBlock, lastCount] = last;
  return count <= lastCount + MAX_TRANSACTIONS_PER_BLOCK * (Math.max(0, block - lastBlock) + 1);
}
