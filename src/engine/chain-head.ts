import type { Hex } from 'viem';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { headerOf, integerOf, quantityOf, toHex, type Header } from '../chains/rpc-values.ts';
import { saidByMost } from '../chains/votes.ts';
import type { Wei } from '../chains/wei.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { GasMarket } from './fees.ts';
import type { WalletLane } from './wallet-lane.ts';

/** The state of a chain and a wallet at the chain's head, read at one moment. */
export interface ChainHead extends GasMarket {
  readonly number: number;
  readonly hash: Hex;
  /** The block's own timestamp, in seconds since the epoch. */
  readonly timestamp: number;
  readonly gasLimit: bigint;
  /** The wallet's mined transaction count. */
  readonly count: number;
  readonly balance: Wei;
  /** The count with which the balance was read. */
  readonly paid: number;
  /** When balance and tip were read, perhaps at an older head. */
  readonly fundsAt: EpochMs;
  /** When block and count were read. */
  readonly readAt: EpochMs;
  /** Whether every node has been asked for what it says, and not only the one that answers first. */
  readonly isOfMost?: boolean;
}

/** What the wallet can spend, and for how much. */
export type Funds = Pick<ChainHead, 'balance' | 'paid' | 'tip' | 'fundsAt'>;

/** A block whose timestamp is further in the future is ignored. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

/**
 * Reads the head in one JSON-RPC batch; nodes bill by the call.
 * @param funds Balance and tip that need not be read again.
 * @returns undefined if the node's reply is unusable.
 */
export async function readHead(
  rpc: RpcClient,
  lane: WalletLane,
  now: () => EpochMs,
  funds?: Funds,
): Promise<ChainHead | undefined> {
  const calls = headCalls(lane);
  if (funds === undefined) return headOf(await rpc.request(calls), now());
  const { balance, paid, tip, fundsAt } = funds;
  return headOf(await rpc.request(calls.slice(0, 2)), now(), { balance, paid, tip, fundsAt });
}

/** What each node says, asked by itself; those that give no usable answer are left out. */
export async function readHeads(rpc: RpcClient, lane: WalletLane, now: () => EpochMs): Promise<readonly ChainHead[]> {
  const replies = await rpc.requestOfEach([headCalls(lane)]);
  return replies.flatMap((each) => headOf(each, now()) ?? []);
}

function headCalls({ walletAddress }: WalletLane): RpcCall[] {
  return [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getTransactionCount', params: [walletAddress, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getBalance', params: [walletAddress, 'latest'] },
  ];
}

function headOf(
  [block, transactions, suggestedTip, wei]: readonly RpcReply[],
  readAt: EpochMs,
  known?: Funds,
): ChainHead | undefined {
  const header = headerOf(block);
  const count = integerOf(transactions);
  const balance = quantityOf(wei);
  if (header === undefined || count === undefined) return undefined;
  if (header.timestamp * 1_000 > readAt + MAX_CLOCK_SKEW_MS) return undefined;
  // A node without the method accepts any tip.
  const read = balance === undefined ? undefined : { balance, tip: quantityOf(suggestedTip) ?? 1n, paid: count };
  const funds = known ?? (read === undefined ? undefined : { ...read, fundsAt: readAt });
  return funds && { ...header, count, ...funds, readAt };
}

/** A block that is expected at its height. */
interface Expected {
  readonly blockNumber: number;
  /** Undefined: any block of that number. */
  readonly blockHash?: Hex;
}

/**
 * The block hashes at the heights of the given blocks on the branch of a head, without those that no node returns. A
 * node may have stayed on another branch, so a hash only counts if the same request also returns the head's block.
 * Where the first node has another block than expected, or none, each is asked, and what most say counts.
 * @param finality The chain's finality depth; a chain with 1 has no branches.
 */
export async function readBlockHashes(
  { rpc, finality }: { readonly rpc: RpcClient; readonly finality: number },
  expected: readonly Expected[],
  head: Pick<ChainHead, 'number' | 'hash'>,
): Promise<ReadonlyMap<number, Hex>> {
  const numbers = [...new Set(expected.map(({ blockNumber }) => blockNumber))];
  const hashes = new Map(numbers.includes(head.number) ? [[head.number, head.hash]] : []);
  const others = numbers.filter((number) => number !== head.number);
  const add = (header: Header | undefined) => header && hashes.set(header.number, header.hash);
  if (finality === 1) {
    const calls = others.flatMap((number) => headerCalls(number, head).slice(0, 1));
    for (const reply of await rpc.requestInParallel(calls)) add(headerOf(reply));
  } else {
    const replies = await rpc.requestInParallel(others.map((number) => headerCalls(number, head)));
    for (const [index, number] of others.entries()) {
      add(headerOn(number, head, replies.slice(2 * index, 2 * index + 2)));
    }
  }
  if (rpc.providers === 1) return hashes;
  const unexpected = expected.filter(({ blockNumber, blockHash }) => {
    const hash = hashes.get(blockNumber);
    return hash === undefined || (blockHash !== undefined && hash !== blockHash);
  });
  const doubtful = new Set(unexpected.map(({ blockNumber }) => blockNumber).filter((number) => number !== head.number));
  for (const number of doubtful) hashes.delete(number);
  for (const number of [...doubtful].slice(0, MAX_ASKED_OF_EACH)) {
    const replies = await rpc.requestOfEach([headerCalls(number, head)]);
    add(
      // One or two nodes cannot be outvoted: believe the first.
      saidByMost(
        replies.flatMap((each) => headerOn(number, head, each) ?? []),
        ({ hash }) => hash,
        rpc.providers < 3 ? 0 : replies.length,
      )[0],
    );
  }
  return hashes;
}

/** How many blocks are asked of each node at a time. */
const MAX_ASKED_OF_EACH = 10;

type Block = Pick<ChainHead, 'number' | 'hash'>;

function headerCalls(number: number, head: Block): RpcCall[] {
  return [number, head.number].map((height) => ({ method: 'eth_getBlockByNumber', params: [toHex(height), false] }));
}

/** The header at a height; undefined if the node that replies does not have the head. */
function headerOn(number: number, head: Block, replies: readonly RpcReply[]): Header | undefined {
  const [header, top] = replies.map(headerOf);
  return header?.number === number && top?.hash === head.hash ? header : undefined;
}
