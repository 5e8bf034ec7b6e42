import { isHex } from 'viem';
import type { Hex } from 'viem';
import type { RpcClient, RpcReply } from '../chains/rpc-client.ts';
import type { GasMarket } from './fees.ts';
import type { WalletLane } from './wallet-lane.ts';

/** One look at a chain and a wallet. */
export interface ChainHead extends GasMarket {
  readonly number: number;
  readonly hash: Hex;
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
export async function readHead(
  rpc: RpcClient,
  { walletAddress }: WalletLane,
  now: () => number,
): Promise<ChainHead | undefined> {
  const [block, tip, count, balance] = await rpc.request([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
    { method: 'eth_getTransactionCount', params: [walletAddress, 'latest'] },
    { method: 'eth_getBalance', params: [walletAddress, 'latest'] },
  ]);
  const header = headerOf(block);
  const values = { tip: quantityOf(tip), count: quantityOf(count), balance: quantityOf(balance) };
  const readAt = now();
  if (header === undefined || values.count === undefined || values.balance === undefined) return undefined;
  if (header.timestamp * 1_000 > readAt + MOST_AHEAD_MS) return undefined;
  return {
    number: header.number,
    hash: header.hash,
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

export function headerOf(reply: RpcReply | undefined): Header | undefined {
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
 * The hashes of the blocks at these heights on the branch of a head; absent where no node that knows that head gives one. A node may have
 * stayed on a branch that was taken back, so the head is asked for together with each height.
 * @param finality Of the chain: where it is 1 there are no branches.
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
  const replies = await rpc.requestAtOnce(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [toHex(number), false] })),
  );
  return replies.map(headerOf).filter((header) => header !== undefined);
}

async function readHeadersOn(
  rpc: RpcClient,
  numbers: readonly number[],
  head: Pick<ChainHead, 'number' | 'hash'>,
): Promise<Header[]> {
  const headers: Header[] = [];
  for (const number of numbers) {
    const replies = await rpc.request(
      [number, head.number].map((asked) => ({ method: 'eth_getBlockByNumber', params: [toHex(asked), false] })),
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
