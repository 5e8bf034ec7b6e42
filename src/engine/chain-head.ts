import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import type { GasMarket } from './fees.ts';
import type { WalletLane } from './wallet-lane.ts';

/** The state of a chain and a wallet at the chain's head, read at one moment. */
export interface ChainHead extends GasMarket {
  readonly number: number;
  readonly hash: Hex;
  /** The block's timestamp, in seconds since the epoch. */
  readonly timestamp: number;
  /** The block's gas limit. */
  readonly gasLimit: bigint;
  /** The wallet's mined transaction count. */
  readonly count: number;
  /** Wei. */
  readonly balance: bigint;
  /** When it was read, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** A block whose timestamp is further in the future is ignored. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

/** Reads the head in one JSON-RPC batch. @returns undefined if the node's reply is unusable. */
export async function readHead(rpc: RpcClient, lane: WalletLane, now: () => number): Promise<ChainHead | undefined> {
  return headOf(await rpc.request(headCalls(lane)), now());
}

/** Reads the head from each node separately. Nodes whose reply is unusable are left out. */
export async function readHeads(rpc: RpcClient, lane: WalletLane, now: () => number): Promise<readonly ChainHead[]> {
  const replies = await rpc.requestFromEach(headCalls(lane));
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
  if (header.timestamp * 1_000 > readAt + MAX_CLOCK_SKEW_MS) return undefined;
  return {
    number: header.number,
    hash: header.hash,
    timestamp: header.timestamp,
    baseFee: header.baseFee,
    gasLimit: header.gasLimit,
    // A node without the method accepts any tip.
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

/** The block hashes at the given heights, without those that the node does not return. */
export async function readBlockHashes(rpc: RpcClient, numbers: readonly number[]): Promise<ReadonlyMap<number, Hex>> {
  const replies = await rpc.requestInParallel(
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

/** Parses a JSON-RPC quantity of at most 256 bits; undefined for anything else. */
export function toQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}

export function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}

export function isHash(value: unknown): value is Hex {
  return isHex(value) && value.length === 66;
}
