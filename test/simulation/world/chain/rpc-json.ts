import { numberToHex, zeroHash, type Address, type Hex } from 'viem';
import type { Block, ChainRules } from './chain.ts';
import type { Mined, Transaction } from './transaction.ts';

const BLOOM: Hex = `0x${'0'.repeat(512)}`;
const NOBODY: Hex = `0x${'0'.repeat(40)}`;

/** A transaction as nodes return it. */
export interface TransactionJson {
  readonly hash: Hex;
  readonly from: Address;
  readonly to: Address | null;
  readonly input: Hex;
  readonly nonce: Hex;
  readonly value: Hex;
  readonly [field: string]: unknown;
}

/** A block as `eth_getBlockByNumber` returns it. */
export function blockJson(block: Block, rules: ChainRules, isFull: boolean): object {
  const gasUsed = block.mined.reduce((sum, mined) => sum + mined.gasUsed, 0n);
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: numberToHex(Math.floor((block.at + rules.clockMs) / 1_000)),
    baseFeePerGas: numberToHex(block.baseFee),
    gasLimit: numberToHex(rules.blockGasLimit),
    gasUsed: numberToHex(gasUsed),
    transactions: block.mined.map(({ transaction }) =>
      isFull ? transactionJson(transaction, block) : transaction.hash,
    ),
    nonce: '0x0000000000000000',
    difficulty: '0x0',
    extraData: '0x',
    logsBloom: BLOOM,
    miner: NOBODY,
    mixHash: zeroHash,
    sha3Uncles: zeroHash,
    stateRoot: zeroHash,
    receiptsRoot: zeroHash,
    size: '0x400',
    transactionsRoot: zeroHash,
    uncles: [],
  };
}

/**
 * A transaction with everything that was signed, from which its hash and its signer follow.
 * @param block Undefined while the transaction is pending.
 */
export function transactionJson(transaction: Transaction, block: Block | undefined): TransactionJson {
  const index = block?.mined.findIndex((mined) => mined.transaction === transaction);
  const mined = index === undefined ? undefined : block?.mined[index];
  return {
    hash: transaction.hash,
    from: transaction.from,
    to: transaction.to,
    input: transaction.data,
    type: '0x2',
    chainId: numberToHex(transaction.chainId),
    nonce: numberToHex(transaction.nonce),
    value: numberToHex(transaction.value),
    gas: numberToHex(transaction.gas),
    maxFeePerGas: numberToHex(transaction.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(transaction.maxPriorityFeePerGas),
    gasPrice: numberToHex(mined?.effectiveGasPrice ?? transaction.maxFeePerGas),
    blockHash: block?.hash ?? null,
    blockNumber: block === undefined ? null : numberToHex(block.number),
    transactionIndex: index === undefined ? null : numberToHex(index),
    accessList: [],
    v: numberToHex(transaction.yParity),
    r: numberToHex(transaction.r),
    s: numberToHex(transaction.s),
    yParity: numberToHex(transaction.yParity),
  };
}

export function receiptJson(block: Block, mined: Mined): object {
  const { transaction } = mined;
  return {
    transactionHash: transaction.hash,
    from: transaction.from,
    to: transaction.to,
    type: '0x2',
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    transactionIndex: numberToHex(block.mined.indexOf(mined)),
    status: mined.status === 'success' ? '0x1' : '0x0',
    gasUsed: numberToHex(mined.gasUsed),
    cumulativeGasUsed: numberToHex(mined.gasUsed),
    effectiveGasPrice: numberToHex(mined.effectiveGasPrice),
    contractAddress: null,
    logs: mined.logs.map((_, index) => logJson(block, mined, index)),
    logsBloom: BLOOM,
  };
}

/** @param index The index of the log in its transaction. */
export function logJson(block: Block, mined: Mined, index: number): object {
  const before = block.mined.slice(0, block.mined.indexOf(mined)).reduce((sum, { logs }) => sum + logs.length, 0);
  return {
    ...mined.logs[index],
    transactionHash: mined.transaction.hash,
    transactionIndex: numberToHex(block.mined.indexOf(mined)),
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    logIndex: numberToHex(before + index),
    removed: false,
  };
}
