import type { Log } from 'viem';
import type { Chain } from '../chains/client.ts';
import type { Clock } from '../core/clock.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { Log as ServiceLog } from '../core/log.ts';
import type { SystemDb } from '../platform/database/client.ts';
import type { IndexedBlock } from '../platform/database/schema.ts';
import { digest, isRead } from './digest.ts';
import {
  beginChain,
  blocksAbove,
  leaseChain,
  readIndex,
  releaseChain,
  storeStep,
  undoAbove,
  type IndexedChain,
  type IndexedContract,
} from './index.store.ts';
import { blockOfMost, blocksOnChain, heightOfMost, isReadable, readRange, type RangeReply } from './read-range.ts';

/** How long a run goes on to a next range, in milliseconds; the cron trigger starts one each minute. */
const RUN_MS = 40_000;
/** How long a chain is a run's own: longer than any run takes. */
const LEASE_MS = 180_000;
/** How many ranges a run asks for at most. */
const MAX_RANGES = 40;
/** The most blocks of a range, within the limits of most providers; it is halved where one has a lower limit. */
const MAX_RANGE = 2_000;
/** How many blocks are compared with the chain's at once after a reorganization. */
const MAX_COMPARED = 300;
const DAY_MS = 86_400_000;

interface Context {
  readonly db: SystemDb;
  readonly chain: Pick<Chain, 'id' | 'definition' | 'rpc'>;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** One run for a chain: what it has used, and what it has learned. */
interface Run extends Context {
  readonly endsAt: EpochMs;
  /** The day that it runs in, since 1970. */
  readonly today: number;
  ranges: number;
  rangeLength: number;
  /** Whether the last range was refused: the next success does not make ranges longer. */
  wasRefused: boolean;
}

/**
 * Brings the index of a chain to the newest block that more than half of its nodes have, as far as one run goes; the
 * next run continues. Does nothing while another run has the chain.
 * @returns whether this run had the chain.
 */
export async function indexChain(context: Context): Promise<boolean> {
  const { db, chain, clock } = context;
  const now = new Date(clock.now());
  const until = new Date(now.getTime() + LEASE_MS);
  const lease = await leaseChain(db, chain.id, now, until);
  if (lease === 'taken') return false;
  const height = await heightOfMost(chain.rpc);
  if (lease === 'new') {
    // A final block, so that there is one to go back to.
    const head = height === undefined ? undefined : await blockOfMost(chain.rpc, finalAt(chain, height));
    if (head === undefined) return false;
    if (!(await beginChain(db, chain.id, head, { rangeLength: MAX_RANGE, until }))) return false;
  }
  const run: Run = {
    ...context,
    endsAt: now.getTime() + RUN_MS,
    today: Math.floor(now.getTime() / DAY_MS),
    ranges: 0,
    rangeLength: MAX_RANGE,
    wasRefused: false,
  };
  try {
    if (height !== undefined) await advance(run, height);
    return true;
  } finally {
    // What was learned of the length of ranges is known once one was read.
    const rangeLength = run.ranges > 0 ? run.rangeLength : undefined;
    await releaseChain(db, chain.id, until, rangeLength);
  }
}

/** The newest block that is final at a height. */
function finalAt({ definition }: Pick<Chain, 'definition'>, height: number): number {
  return Math.max(0, height - definition.finality + 1);
}

/** Takes steps until nothing is left to read, or the run is over. */
async function advance(run: Run, height: number): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { chain, contracts } = await readIndex(run.db, run.chain.id);
    if (chain === undefined) return;
    if (isFirst) run.rangeLength = chain.rangeLength;
    const read = contracts.filter((contract) => isRead(contract, run.today));
    const work = nextWork(chain, read, height);
    if (work === undefined) return;
    if (run.ranges >= MAX_RANGES || run.clock.now() >= run.endsAt) return;
    if (!(await takeStep(run, chain, work, height))) return;
  }
}

/** The blocks to be read next, and of which contracts. */
interface Work {
  readonly from: number;
  /** The last block that could be read. */
  readonly last: number;
  readonly contracts: readonly IndexedContract[];
  /** Whether the index of the chain moves with it, and not only that of contracts that are behind. */
  readonly isNew: boolean;
}

/** New blocks first, then those that contracts are behind with. @param read The contracts that are read. */
function nextWork({ blockNumber }: IndexedChain, read: readonly IndexedContract[], height: number): Work | undefined {
  if (read.length === 0) return undefined;
  if (height > blockNumber) {
    const contracts = read.filter(({ nextBlock }) => nextBlock === null || nextBlock > blockNumber);
    return { from: blockNumber + 1, last: height, contracts, isNew: true };
  }
  const behind = read.filter(({ nextBlock }) => nextBlock !== null && nextBlock <= blockNumber);
  if (behind.length === 0) return undefined;
  const from = Math.min(...behind.map(({ nextBlock }) => nextBlock ?? blockNumber));
  return { from, last: blockNumber, contracts: behind, isNew: false };
}

/** Reads and stores one range. @returns whether the run can go on. */
async function takeStep(run: Run, chain: IndexedChain, work: Work, height: number): Promise<boolean> {
  const base: IndexedBlock = [chain.blockNumber, chain.blockHash];
  const to = Math.min(work.last, work.from + run.rangeLength - 1);
  const contracts = work.contracts.filter(({ nextBlock }) => nextBlock === null || nextBlock <= to);
  const reply = await readLogs(run, base, { from: work.from, to, contracts });
  switch (reply.kind) {
    case 'reorganized':
      return await undo(run, chain);
    case 'refused':
      run.wasRefused = true;
      run.rangeLength = halfOf(to - work.from + 1);
      return true;
    case 'silent':
      // A range that takes too long to read is not answered at all.
      run.rangeLength = halfOf(run.rangeLength);
      return false;
    case 'disputed':
      run.log.warn('holdings.disputed', { chainId: chain.chainId, from: work.from, to });
      return false;
    case 'read':
  }
  const { logs, end, unreadable } = reply;
  const readable = contracts.map((contract) =>
    unreadable.includes(contract) ? { ...contract, stop: 'UNREADABLE' as const, nextBlock: work.from } : contract,
  );
  const result = digest({ contracts: readable, logs, end, today: run.today });
  const current = new Map([...readable, ...result.contracts].map((contract) => [contract.contractId, contract]));
  const nextBlock = work.isNew || result.end[0] >= chain.blockNumber ? null : result.end[0] + 1;
  // What follows the chain does so still; a contract that is paused waits, and one that begins after the end of a short
  // step has not begun.
  const moved = [...current.values()].map((contract) =>
    isRead(contract, run.today) && contract.nextBlock !== null && contract.nextBlock <= result.end[0]
      ? { ...contract, nextBlock }
      : contract,
  );
  const before = new Map(contracts.map((contract) => [contract.contractId, contract]));
  const stopped = moved.filter(({ stop }) => stop !== null);
  for (const { contractAddress, stop, nextBlock: blockNumber } of stopped) {
    run.log.warn('holdings.stopped', { chainId: chain.chainId, contractAddress, reason: stop, blockNumber });
  }
  if (to - work.from + 1 >= run.rangeLength && !run.wasRefused) run.rangeLength = longerThan(run.rangeLength);
  run.wasRefused = false;
  return await storeStep(run.db, chain, {
    block: work.isNew ? result.end : base,
    earlier: work.isNew ? earlierBlocks(result.end, chain, finalAt(run.chain, height)) : chain.earlier,
    transfers: result.transfers,
    owners: result.owners,
    contracts: moved.filter((contract) => before.get(contract.contractId) !== contract),
  });
}

/**
 * The ends of the steps before one that ends with a block, down to the newest that is final; none if it is final
 * itself.
 * @param final The newest block that is final.
 */
function earlierBlocks(
  end: IndexedBlock,
  { blockNumber, blockHash, earlier }: IndexedChain,
  final: number,
): readonly IndexedBlock[] {
  const all: readonly IndexedBlock[] = [end, [blockNumber, blockHash], ...earlier];
  const newestFinal = all.findIndex(([number]) => number <= final);
  return newestFinal === -1 ? all.slice(1) : all.slice(1, newestFinal + 1);
}

const halfOf = (length: number) => Math.max(1, Math.floor(length / 2));
const longerThan = (length: number) => Math.min(MAX_RANGE, length + Math.max(1, Math.floor(length / 8)));

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly contracts: readonly IndexedContract[];
}

type LogsReply =
  | Exclude<RangeReply, { readonly kind: 'read' }>
  | {
      readonly kind: 'read';
      readonly end: IndexedBlock;
      readonly logs: readonly Log[];
      /** Contracts whose logs of the block nodes refuse, while they return those of others. */
      readonly unreadable: readonly IndexedContract[];
    };

/** Reads a range of all contracts at once; a single block that is refused, of half of them at a time. */
async function readLogs(run: Run, base: IndexedBlock, asked: Asked): Promise<LogsReply> {
  const { from, to, contracts } = asked;
  run.ranges += 1;
  const addresses = contracts.map(({ contractAddress }) => contractAddress);
  const reply = await readRange(run.chain.rpc, base, { from, to, addresses });
  if (reply.kind === 'read') return { ...reply, unreadable: [] };
  if (reply.kind !== 'refused' || from < to) return reply;
  if (contracts.length === 1) {
    const end = await blockOfMost(run.chain.rpc, to);
    if (end === undefined || !(await isReadable(run.chain.rpc, base, { from, to }))) return { kind: 'silent' };
    return { kind: 'read', end, logs: [], unreadable: contracts };
  }
  const middle = Math.ceil(contracts.length / 2);
  const first = await readLogs(run, base, { from, to, contracts: contracts.slice(0, middle) });
  if (first.kind !== 'read') return first;
  const second = await readLogs(run, base, { from, to, contracts: contracts.slice(middle) });
  if (second.kind !== 'read') return second;
  if (first.end[1] !== second.end[1]) return { kind: 'disputed' };
  return {
    ...first,
    logs: [...first.logs, ...second.logs],
    unreadable: [...first.unreadable, ...second.unreadable],
  };
}

/**
 * Undoes what is above the newest block that the chain still has, of those that steps ended with and those with
 * transfers: so transfers whose block is still there stay.
 */
async function undo(run: Run, chain: IndexedChain): Promise<boolean> {
  const { chainId, blockNumber, blockHash, earlier } = chain;
  const ends: readonly IndexedBlock[] = [[blockNumber, blockHash], ...earlier];
  const [oldest = blockNumber] = ends.at(-1) ?? [];
  const withTransfers = await blocksAbove(run.db, chainId, oldest, MAX_COMPARED);
  const known = [...ends, ...withTransfers.map(({ number, hash }): IndexedBlock => [number, hash])];
  const candidates = known.filter(([number]) => number <= blockNumber).toSorted(([a], [b]) => b - a);
  let ancestor: IndexedBlock | undefined;
  for (let at = 0; ancestor === undefined && at < candidates.length; at += MAX_COMPARED) {
    [ancestor] = await blocksOnChain(run.chain.rpc, candidates.slice(at, at + MAX_COMPARED));
  }
  if (ancestor === undefined) {
    run.log.error('holdings.history_replaced', { chainId, blockNumber: oldest });
    return false;
  }
  run.log.warn('holdings.reorganized', { chainId, from: ancestor[0], to: blockNumber });
  return await undoAbove(run.db, chain, {
    block: ancestor,
    earlier: ends.filter(([number]) => number < ancestor[0]),
  });
}
