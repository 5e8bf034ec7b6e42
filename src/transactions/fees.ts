import type { Block } from 'viem';

/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface GasPrice {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * The offer that today's blocks take: twice the base fee, which lasts through six full blocks, and the node's tip.
 * @param block The newest block.
 * @param tip The node's suggestion, in wei.
 */
export function gasPriceAt(block: Pick<Block, 'baseFeePerGas'>, tip: bigint): GasPrice {
  return { maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + tip, maxPriorityFeePerGas: tip };
}

/**
 * An offer that replaces an older one: what is asked now, but at least 12.5 % more than before. Nodes ask for 10 %; the
 * rest is room for those that ask more.
 */
export function raised(before: GasPrice, now: GasPrice): GasPrice {
  return {
    maxFeePerGas: larger(now.maxFeePerGas, byAnEighth(before.maxFeePerGas)),
    maxPriorityFeePerGas: larger(now.maxPriorityFeePerGas, byAnEighth(before.maxPriorityFeePerGas)),
  };
}

function byAnEighth(value: bigint): bigint {
  return value + value / 8n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Room over the estimate, since the state may have changed when the transaction is mined: a quarter. */
export function gasLimitFor(estimate: bigint): bigint {
  return estimate + estimate / 4n;
}
