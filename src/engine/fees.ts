/** What a transaction offers for a unit of gas, in wei (EIP-1559). */
export interface GasPrice {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** What a chain asks for a unit of gas now, in wei. */
export interface GasMarket {
  readonly baseFee: bigint;
  /** The node's suggestion. */
  readonly tip: bigint;
}

/**
 * A new offer: twice the base fee, which lasts through five full blocks, and the node's tip.
 * @param cap The most that may be offered.
 * @returns undefined when a block would not take what the cap allows.
 */
export function offerAt({ baseFee, tip }: GasMarket, cap: GasPrice): GasPrice | undefined {
  const maxPriorityFeePerGas = smaller(tip, cap.maxPriorityFeePerGas);
  // One full block may come before it: an eighth more.
  const least = baseFee + baseFee / 8n + maxPriorityFeePerGas;
  if (least > cap.maxFeePerGas) return undefined;
  return { maxFeePerGas: smaller(baseFee * 2n + maxPriorityFeePerGas, cap.maxFeePerGas), maxPriorityFeePerGas };
}

/**
 * An offer that replaces an older one: what is asked now, but at least so much more than before that nodes take it.
 * @param bumpPercent What the chain's nodes ask for; we raise by 12.5 % at least.
 * @returns undefined when that is above the cap, or the chain asks more than the cap: no block would take it, and each raise brings the tip
 *   closer to its cap, where nothing can be replaced any more.
 */
export function replacementOf(
  before: GasPrice,
  market: GasMarket,
  cap: GasPrice,
  bumpPercent: number,
): GasPrice | undefined {
  const now = offerAt(market, cap);
  if (now === undefined) return undefined;
  const perMille = BigInt(Math.ceil(Math.max(12.5, bumpPercent) * 10));
  const maxFeePerGas = larger(now.maxFeePerGas, raisedBy(before.maxFeePerGas, perMille));
  const maxPriorityFeePerGas = larger(now.maxPriorityFeePerGas, raisedBy(before.maxPriorityFeePerGas, perMille));
  const isWithin = maxFeePerGas <= cap.maxFeePerGas && maxPriorityFeePerGas <= cap.maxPriorityFeePerGas;
  return isWithin ? { maxFeePerGas, maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, maxFeePerGas) } : undefined;
}

function raisedBy(value: bigint, perMille: bigint): bigint {
  return value + (value * perMille) / 1_000n + 1n;
}

/**
 * The gas limit of a call: a quarter over the estimate, since the state may have changed when it is mined.
 * @param ceiling The most that the order may take; the estimate is not above it.
 */
export function gasLimitFor(estimate: bigint, ceiling: bigint): bigint {
  return smaller(estimate + estimate / 4n, ceiling);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
