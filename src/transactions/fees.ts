import type { Block } from 'viem';

/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface GasPrice {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/**
 * The offer that today's blocks take: twice the base fee, which lasts through five full blocks, and the node's tip.
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

/**
 * The gas limit of a call: a quarter over the estimate, since the state may have changed when the transaction is mined.
 * @param reserved {@link Call.reservedGas}: the part of the estimate that cannot change, and so needs no margin.
 */
export function gasLimitFor(estimate: bigint, reserved = 0n): bigint {
  const own = estimate > reserved ? estimate - reserved : estimate;
  return estimate + own / 4n;
}
