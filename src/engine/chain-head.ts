import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import type { GasMarket } from './fees.ts';
import type { WalletLane } from './wallet-lane.ts';

/** One look at a chain and a wallet. */
export interface ChainHead extends GasMarket {
  readonly number: number;
  readonly hash: Hex;
  /** When the block was made, by its own word, in seconds since the epoch. */
  readonly timestamp: number;
  /** Gas of a whole block. */
  readonly gasLimit: bigint;
  /** How many transactions of the wallet are mined. */
  readonly count: number;
  /** Wei. */
  readonly balance: bigint;
  /** When it was looked, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** A block that claims to be from further ahead is none. */
const MOST_AHEAD_MS = 24 * 3_600_000;

/** One JSON-RPC batch. @returns undefined when the node gives no usable answer. */
export async function readHead(rpc: RpcClient, lane: WalletLane, now: () => number): Promise<ChainHead | undefined> {
  return headOf(await rpc.request(headCalls(lane)), now());
}

/** What each node says, asked by itself; those that give no usable answer are left out. */
export async function readHeads(rpc: RpcClient, lane: WalletLane, now: () => number): Promise<readonly ChainHead[]> {
  const replies = await rpc.requestOfEach(headCalls(lane));
  return replies.flatMap((each) => headOf(each, now()) ?? []);
}

function headCalls({ walletAddress }: WalletLane): RpcCall[] {
  return [
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getTransactionCount', params: [walletAddress, 'latest'] },
    { method: 'eth_getBalance', params: [walletAddress, 'latest'] },
  ];
}

function headOf([block, tip, count, balance]: readonly RpcReply[], readAt: number): ChainHead | undefined {
  const header = headerOf(block);
  const values = { tip: quantityOf(tip), count: quantityOf(count), balance: quantityOf(balance) };
  if (header === undefined || values.count === undefined || values.balance === undefined) return undefined;
  if (header.timestamp * 1_000 > readAt + MOST_AHEAD_MS) return undefined;
  return {
    number: header.number,
    hash: header.hash,
    timestamp: header.timestamp,
    baseFee: header.baseFee,
    gasLimit: header.gasLimit,
    // A node that does not know the method takes what the base fee leaves it.
    tip: values.tip ?? 1n,
    count: Number(values.count),
    balance: values.balance,
    readAt,
  };
}

interface Header {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly gasLimit: bigint;
}

function headerOf(reply: RpcReply | undefined): Header | undefined {
  const block = resultOf(reply);
  if (typeof block !== 'object' || block === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(block, name)?.value;
  const [number, timestamp, gasLimit] = [
    toQuantity(field('number')),
    toQuantity(field('timestamp')),
    toQuantity(field('gasLimit')),
  ];
  const hash = field('hash');
  if (number === undefined || timestamp === undefined || gasLimit === undefined || !isHash(hash)) return undefined;
  return {
    number: Number(number),
    hash,
    timestamp: Number(timestamp),
    gasLimit,
    baseFee: toQuantity(field('baseFeePerGas')) ?? 0n,
  };
}

/** The hashes of the blocks at these heights; absent where the node gives none. */
export async function readBlockHashes(rpc: RpcClient, numbers: readonly number[]): Promise<ReadonlyMap<number, Hex>> {
  const replies = await rpc.requestAtOnce(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })),
  );
  const hashes = new Map<number, Hex>();
  for (const reply of replies) {
    const header = headerOf(reply);
    if (header !== undefined) hashes.set(header.number, header.hash);
  }
  return hashes;
}

export function resultOf(reply: RpcReply | undefined): unknown {
  return reply !== undefined && 'result' in reply ? reply.result : undefined;
}

export function quantityOf(reply: RpcReply | undefined): bigint | undefined {
  return toQuantity(resultOf(reply));
}

/** A quantity as JSON-RPC writes it; undefined for anything else, and for what no chain can mean. */
export function toQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}

export function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}

export function isHash(value: unknown): value is Hex {
  return isHex(value) && value.length === 66;
}
