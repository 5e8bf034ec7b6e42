import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import type { GasMarket } from './fees.ts';
import type { WalletLane } from './wallet-lane.ts';

/** The state of a chain and a wallet at the chain's head, read at one moment. */
export interface ChainHead extends GasMarket {
  readonly number: number;
  readonly hash: Hex;
  /** The block's own timestamp, in seconds since the epoch. */
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

/**
 * The block hashes at the given heights on the branch of a head, without those that the node does not return. A node may have stayed on
 * another branch, so a hash only counts if the same batch also returns the head's block.
 * @param finality The chain's finality depth; a chain with 1 has no branches.
 */
export async function readBlockHashes(
  { rpc, finality }: { readonly rpc: RpcClient; readonly finality: number },
  numbers: readonly number[],
  head: Pick<ChainHead, 'number' | 'hash'>,
): Promise<ReadonlyMap<number, Hex>> {
  const others = numbers.filter((number) => number !== head.number);
  const headers = finality === 1 ? await readHeaders(rpc, others) : await readHeadersOn(rpc, others, head);
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  return numbers.includes(head.number) ? hashes.set(head.number, head.hash) : hashes;
}

async function readHeaders(rpc: RpcClient, numbers: readonly number[]): Promise<Header[]> {
  const replies = await rpc.requestInParallel(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })),
  );
  return replies.map(headerOf).filter((header) => header !== undefined);
}

/** Headers by height, each from a node that has the head. */
async function readHeadersOn(
  rpc: RpcClient,
  numbers: readonly number[],
  head: Pick<ChainHead, 'number' | 'hash'>,
): Promise<Header[]> {
  const headers: Header[] = [];
  for (const number of numbers) {
    const replies = await rpc.request(
      [number, head.number].map((height) => ({ method: 'eth_getBlockByNumber', params: [toHex(height), false] })),
    );
    const [header, top] = replies.map(headerOf);
    if (header?.number === number && top?.hash === head.hash) headers.push(header);
  }
  return headers;
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
