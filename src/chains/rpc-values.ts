import { isHex, type Address, type Hex, type Log } from 'viem';
import { isObject } from './read-reply.ts';
import type { RpcReply } from './rpc-exchange.ts';
import type { Wei } from './wei.ts';

/** The receipt of a mined transaction, checked against the requested hash. */
export interface Receipt {
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly status: 'success' | 'reverted';
  readonly gasUsed: bigint;
  readonly effectiveGasPrice: Wei;
  readonly logs: readonly Log[];
}

/** The header of a block. */
export interface Header {
  readonly number: number;
  readonly hash: Hex;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Per gas; 0 where the chain has none. */
  readonly baseFee: Wei;
  readonly gasLimit: bigint;
}

/** @returns undefined if there is no result. */
export function resultOf(reply: RpcReply | undefined): unknown {
  return reply !== undefined && 'result' in reply ? reply.result : undefined;
}

export function quantityOf(reply: RpcReply | undefined): bigint | undefined {
  return toQuantity(resultOf(reply));
}

/** Parses a JSON-RPC quantity of at most 256 bits; undefined for anything else. */
export function toQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/.test(value) ? BigInt(value) : undefined;
}

/** Bytes in hex, as code and the data of calls are; undefined for anything else. */
export function toData(value: unknown): Hex | undefined {
  return isHex(value) && value.length % 2 === 0 ? value : undefined;
}

/** A quantity that JavaScript can count, as blocks, nonces and times are: no true one is above 2^53. */
export function integerOf(reply: RpcReply | undefined): number | undefined {
  return toInteger(resultOf(reply));
}

function toInteger(value: unknown): number | undefined {
  const integer = Number(toQuantity(value));
  return Number.isSafeInteger(integer) ? integer : undefined;
}

export function toHex(number: number): Hex {
  return `0x${number.toString(16)}`;
}

function isHash(value: unknown): value is Hex {
  return isHex(value) && value.length === 66;
}

/** @returns undefined if the reply is not a block. */
export function headerOf(reply: RpcReply | undefined): Header | undefined {
  const block = resultOf(reply);
  const number = toInteger(fieldOf(block, 'number'));
  const timestamp = toInteger(fieldOf(block, 'timestamp'));
  const gasLimit = toQuantity(fieldOf(block, 'gasLimit'));
  const hash = fieldOf(block, 'hash');
  if (number === undefined || timestamp === undefined || gasLimit === undefined || !isHash(hash)) return undefined;
  return {
    number,
    hash,
    timestamp,
    gasLimit,
    baseFee: toQuantity(fieldOf(block, 'baseFeePerGas')) ?? 0n,
  };
}

/**
 * The hash of a block, the transactions in it that name one of these wallets as their sender, and others that may use
 * nonces of wallets which have authorized that (EIP-7702), as the node reports them.
 * @param wallets Lower case.
 * @returns undefined if `block` is not a block with its transactions.
 */
export function bodyOf(
  block: unknown,
  wallets: ReadonlySet<unknown>,
): { readonly hash: Hex; readonly own: readonly unknown[]; readonly delegating: readonly unknown[] } | undefined {
  const transactions = fieldOf(block, 'transactions');
  const hash = fieldOf(block, 'hash');
  if (!Array.isArray(transactions) || !isHash(hash)) return undefined;
  return {
    hash,
    own: transactions.filter((transaction) => wallets.has(fieldOf(transaction, 'from'))),
    delegating: transactions.filter((transaction) => fieldOf(transaction, 'type') === '0x4'),
  };
}

/** @returns undefined if there is none, it is not the requested one, or one of its logs cannot be read. */
export function receiptOf(reply: RpcReply | undefined, hash: Hex): Receipt | undefined {
  const raw = resultOf(reply);
  const field = (name: string) => fieldOf(raw, name);
  const blockNumber = toInteger(field('blockNumber'));
  const gasUsed = toQuantity(field('gasUsed'));
  const blockHash = field('blockHash');
  const status = toQuantity(field('status'));
  const logs = logsOf(field('logs'));
  if (field('transactionHash') !== hash || blockNumber === undefined || gasUsed === undefined) return undefined;
  if (!isHash(blockHash) || status === undefined || logs === undefined) return undefined;
  return {
    transactionHash: hash,
    blockNumber,
    blockHash,
    status: status === 1n ? 'success' : 'reverted',
    gasUsed,
    effectiveGasPrice: toQuantity(field('effectiveGasPrice')) ?? 0n,
    logs,
  };
}

/** @returns undefined if it is no list of logs, or one of them cannot be read. */
export function logsOf(raw: unknown): Log[] | undefined {
  return Array.isArray(raw) && raw.every(isLog) ? raw.map(logOf) : undefined;
}

function isLog(raw: unknown): boolean {
  const topics = fieldOf(raw, 'topics');
  return (
    isAddress(fieldOf(raw, 'address')) && isHex(fieldOf(raw, 'data')) && Array.isArray(topics) && topics.every(isHash)
  );
}

function isAddress(value: unknown): value is Address {
  return isHex(value) && value.length === 42;
}

/** Converts a raw log to viem's form. */
function logOf(raw: unknown): Log {
  const topics = fieldOf(raw, 'topics');
  /* oxlint-disable typescript/no-unsafe-type-assertion -- decoders reject invalid logs; nothing here is trusted beyond that */
  return {
    address: fieldOf(raw, 'address') as Address,
    topics: (Array.isArray(topics) ? topics : []) as Log['topics'],
    data: fieldOf(raw, 'data') as Hex,
    blockNumber: toQuantity(fieldOf(raw, 'blockNumber')) ?? 0n,
    blockHash: fieldOf(raw, 'blockHash') as Hex,
    transactionHash: fieldOf(raw, 'transactionHash') as Hex,
    logIndex: Number(toQuantity(fieldOf(raw, 'logIndex')) ?? 0n),
    transactionIndex: Number(toQuantity(fieldOf(raw, 'transactionIndex')) ?? 0n),
    removed: false,
  };
  /* oxlint-enable typescript/no-unsafe-type-assertion */
}

/** An own property of a JSON object. @returns undefined if `value` is no object, or has none. */
function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
