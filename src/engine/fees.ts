/** The fee per gas that a transaction offers, in wei (EIP-1559). */
export interface GasPrice {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Gas of a plain transfer: no transaction takes less. */
export const TRANSFER_GAS = 21_000n;

/** The protocol's gas limit per transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 2n ** 24n;

/** A chain's current price per gas, in wei. */
export interface GasMarket {
  readonly baseFee: bigint;
  /** The priority fee that the node suggests. */
  readonly tip: bigint;
}

/**
 * A new offer: twice the base fee, enough for five full blocks in a row, plus the suggested tip.
 * @param cap The highest fees allowed.
 * @returns undefined if the cap is below what the next block needs.
 */
export function offerAt({ baseFee, tip }: GasMarket, cap: GasPrice): GasPrice | undefined {
  const maxPriorityFeePerGas = smaller(tip, cap.maxPriorityFeePerGas);
  // One full block may come first; it raises the base fee by an eighth.
  const minimum = baseFee + baseFee / 8n + maxPriorityFeePerGas;
  if (minimum > cap.maxFeePerGas) return undefined;
  return { maxFeePerGas: smaller(baseFee * 2n + maxPriorityFeePerGas, cap.maxFeePerGas), maxPriorityFeePerGas };
}

/**
 * An offer that replaces an earlier one: the current market price, but no less than the minimum price bump.
 * @param bumpPercent The price bump that the chain's nodes require; at least 12.5 % is used.
 * @returns undefined if that exceeds the cap, or no block would take what the cap allows: each raise would only bring
 *   the tip closer to its own cap, beyond which nothing can be replaced.
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
 * The gas that a receiver can add between the estimate and the block, by spending the last unit of what it gets
 * (ERC-1155, certificates).
 */
const MARGIN = 40_000n;

/**
 * The gas limit of a call: the estimate and a quarter of it, but no less than the margin, because the state may change
 * before the call is mined.
 * @param ceiling The most gas that the order may use; at least the estimate.
 */
export function gasLimitFor(estimate: bigint, ceiling: bigint): bigint {
  return smaller(estimate + larger(estimate / 4n, MARGIN), ceiling);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
