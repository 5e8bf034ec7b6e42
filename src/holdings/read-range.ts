import { isHash, type Address, type Hex, type Log } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { headerOf, logsOf, resultOf, toHex } from '../chains/rpc-values.ts';
import { isMost, saidByMost } from '../chains/votes.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { IndexedBlock } from '../platform/database/schema.ts';
import { INDEXED_TOPICS } from './decode-log.ts';

type Nodes = Pick<RpcClient, 'providers' | 'requestOfEach'>;

/** The most addresses in one filter: geth accepts 1,000. */
const MAX_ADDRESSES = 500;

/**
 * How many nodes have a vote. One that does not answer, or is not asked since it did not before, has one, unless there
 * are only two: of those the one that answers counts.
 */
function votersAmong(each: readonly (readonly RpcReply[])[], { providers }: Nodes): number {
  const answering = each.filter((replies) => replies.some((reply) => !('lost' in reply)));
  return providers > 2 ? providers : answering.length;
}

/** The block that more than half of the voters have; undefined if no more have the same. */
function blockOfVoters(blocks: readonly (IndexedBlock | undefined)[], voters: number): IndexedBlock | undefined {
  return saidByMost(blocks, (block) => block?.[1], voters)[0];
}

const headerCall = (number: number | undefined): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [number === undefined ? 'latest' : toHex(number), false],
});

function blockOf(reply: RpcReply | undefined): IndexedBlock | undefined {
  const header = headerOf(reply);
  return header && [header.number, header.hash];
}

/** The highest block that more than half of the nodes have reached; undefined if too few answer. */
export async function heightOfMost(nodes: Nodes): Promise<number | undefined> {
  const each = await nodes.requestOfEach([headerCall(undefined)]);
  const heights = each.flatMap(([reply]) => blockOf(reply)?.[0] ?? []);
  const voters = votersAmong(each, nodes);
  const reached = (height: number) => heights.filter((other) => other >= height).length;
  return heights.toSorted((a, b) => b - a).find((height) => isMost(reached(height), voters));
}

/** The block at a height for more than half of the nodes; undefined if no more have the same. */
export async function blockOfMost(nodes: Nodes, number: number): Promise<IndexedBlock | undefined> {
  const each = await nodes.requestOfEach([headerCall(number)]);
  const blocks = each.map(([reply]) => blockOf(reply)).filter((block) => block?.[0] === number);
  return blockOfVoters(blocks, votersAmong(each, nodes));
}

/** Of these blocks, those that more than half of the nodes have. */
export async function blocksOnChain(nodes: Nodes, blocks: readonly IndexedBlock[]): Promise<readonly IndexedBlock[]> {
  const each = await nodes.requestOfEach(blocks.map(([number]) => headerCall(number)));
  const voters = votersAmong(each, nodes);
  return blocks.filter(([, hash], index) => {
    const having = each.filter((replies) => blockOf(replies[index])?.[1] === hash);
    return isMost(having.length, voters);
  });
}

/** What is asked for: the logs of contracts in blocks. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly addresses: readonly LowerCaseAddress[];
}

export type RangeReply =
  /** The last block of the range, and the logs that more than half of the nodes have, in their order. */
  | { readonly kind: 'read'; readonly end: IndexedBlock; readonly logs: readonly Log[] }
  /** Most nodes have another block where the index is: it was reorganized out. */
  | { readonly kind: 'reorganized' }
  /** Nodes say that they do not return that many logs, or blocks. */
  | { readonly kind: 'refused' }
  /** No more than half of the nodes say the same. */
  | { readonly kind: 'disputed' }
  /** Too few nodes answer now. */
  | { readonly kind: 'silent' };

/**
 * Reads logs of each node, and counts what more than half of them have, on the branch of `base`: one may leave logs
 * out, or make some up. A log counts with the hash of its block, and the last block with its hash.
 * @param base The block that the index has come to.
 */
export async function readRange(nodes: Nodes, base: IndexedBlock, range: Range): Promise<RangeReply> {
  const filters = logCalls(range);
  const each = await nodes.requestOfEach([[...filters, headerCall(range.to), headerCall(base[0])]]);
  if (each.every((replies) => replies.every((reply) => 'lost' in reply))) return { kind: 'silent' };
  const votes = each.map((replies) => {
    const [end, start] = replies.slice(-2).map(blockOf);
    return { end, start, logs: ownLogs(replies.slice(0, -2), range) };
  });
  const voters = votersAmong(each, nodes);
  const others = votes.filter(({ start }) => start !== undefined && start[1] !== base[1]);
  if (isMost(others.length, voters)) return { kind: 'reorganized' };
  const onBranch = votes.filter(({ start, end }) => start?.[1] === base[1] && end?.[0] === range.to);
  const end = blockOfVoters(
    onBranch.map((vote) => vote.end),
    voters,
  );
  if (end === undefined) {
    const isLost = each.some((replies) => replies.slice(-2).some((reply) => 'lost' in reply));
    return { kind: isLost ? 'silent' : 'disputed' };
  }
  const lists = onBranch.flatMap((vote) => (vote.end?.[1] === end[1] ? [vote.logs] : []));
  const read = lists.flatMap((logs) => (typeof logs === 'string' ? [] : [logs]));
  const having = (what: 'refused' | 'lost') => lists.filter((logs) => logs === what).length;
  // A node that refuses the range may have a vote in a shorter one, and one that is busy later.
  const isLater = having('lost') > 0 && !isMost(having('refused'), voters);
  const unread: RangeReply = { kind: isLater ? 'silent' : having('refused') > 0 ? 'refused' : 'disputed' };
  if (!isMost(read.length, voters)) return unread;
  const groups = [...Map.groupBy(read.flat(), nameOf).values()];
  const isKnown = (count: number) => isMost(count, voters) || isMost(read.length - count, voters);
  if (!groups.every(({ length }) => isKnown(length))) return unread;
  const logs = groups.filter(({ length }) => isMost(length, voters)).flatMap(([log]) => log ?? []);
  return { kind: 'read', end, logs: logs.toSorted((a, b) => byPlace(placeOf(a), placeOf(b))) };
}

function logCalls({ from, to, addresses }: Range): RpcCall[] {
  const topics = [INDEXED_TOPICS];
  return Array.from({ length: Math.ceil(addresses.length / MAX_ADDRESSES) }, (_, index) => {
    const address = addresses.slice(index * MAX_ADDRESSES, (index + 1) * MAX_ADDRESSES);
    return { method: 'eth_getLogs', params: [{ address, topics, fromBlock: toHex(from), toBlock: toHex(to) }] };
  });
}

/** What the database has room for, and more than any block has. */
const MAX_LOG_INDEX = 2 ** 31 - 1;

/** The logs of a node, each once, or why it does not return them: a lost reply says nothing of the range. */
function ownLogs(replies: readonly RpcReply[], { from, to, addresses }: Range): readonly Log[] | 'refused' | 'lost' {
  if (replies.some((reply) => 'lost' in reply)) return 'lost';
  const known = new Set<Address>(addresses);
  const lists = replies.map((reply) => logsOf(resultOf(reply)));
  if (!lists.every((logs) => logs !== undefined)) return 'refused';
  const own = lists
    .flat()
    .filter(
      ({ address, blockNumber, blockHash, transactionHash, logIndex }) =>
        known.has(address) &&
        Number(blockNumber) >= from &&
        Number(blockNumber) <= to &&
        [blockHash, transactionHash].every((hash) => isHash(hash ?? '')) &&
        (logIndex ?? Infinity) <= MAX_LOG_INDEX,
    );
  return [...new Map(own.map((log) => [`${log.blockNumber} ${log.logIndex}`, log])).values()];
}

function nameOf({ blockNumber, blockHash, transactionHash, logIndex, address, topics, data }: Log): string {
  return JSON.stringify([Number(blockNumber), blockHash, transactionHash, logIndex, address, topics, data]);
}

const placeOf = ({ blockNumber, logIndex }: Log) => [Number(blockNumber), logIndex ?? 0] as const;

function byPlace(one: readonly [number, number], other: readonly [number, number]): number {
  return one[0] - other[0] || one[1] - other[1];
}

/** An address that no contract can have, which a node must be able to find no logs of. */
const CONTROL: LowerCaseAddress = '0x000000000000000000000000000000000000dead';

/**
 * Whether nodes return the logs of a range for an address that has none: if so, what they refuse is refused for the
 * logs of its contract.
 */
export async function isReadable(nodes: Nodes, base: IndexedBlock, range: Omit<Range, 'addresses'>): Promise<boolean> {
  return (await readRange(nodes, base, { ...range, addresses: [CONTROL] })).kind === 'read';
}

/** The hash of a block in which a log is. */
export function blockOfLog({ blockNumber, blockHash }: Log): IndexedBlock {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a mined log
  return [Number(blockNumber), blockHash as Hex];
}
