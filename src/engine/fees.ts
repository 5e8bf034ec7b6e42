import type { ChainDefinition } from '../chains/definition.ts';
import type { Wei } from '../chains/wei.ts';

/** The fee per gas that a transaction offers (EIP-1559). */
export interface GasPrice {
  readonly maxFeePerGas: Wei;
  readonly maxPriorityFeePerGas: Wei;
}

/** Gas of a plain transfer: no transaction takes less. */
export const TRANSFER_GAS = 21_000n;

/** The protocol's gas limit per transaction (EIP-7825). */
export const MAX_TRANSACTION_GAS = 2n ** 24n;

/** A chain's current price per gas. */
export interface GasMarket {
  readonly baseFee: Wei;
  /** The priority fee that the node suggests. */
  readonly tip: Wei;
}

/** A chain's rules for the fees of its transactions. */
type FeeRules = Pick<ChainDefinition, 'feeCap' | 'priceBumpPercent'>;

/**
 * How often an offer can still be raised below the chain's cap. A market price leaves room for three replacements, each
 * of which may offer twice the base fee of the moment, and all of them for a cancellation.
 */
const RAISES_LEFT = { market: 4, replacement: 1, cancel: 0 };

/**
 * The highest fees of an offer. Nodes take other bytes with a nonce only if both fees rise, so one at the chain's cap
 * could be neither replaced nor cancelled, however much the other has to rise.
 */
function capOf({ feeCap, priceBumpPercent }: FeeRules, offer: keyof typeof RAISES_LEFT): GasPrice {
  const perMille = bumpOf(priceBumpPercent);
  let { maxFeePerGas, maxPriorityFeePerGas } = feeCap;
  for (let left = RAISES_LEFT[offer]; left > 0; left -= 1) {
    maxFeePerGas = loweredBy(maxFeePerGas, perMille);
    maxPriorityFeePerGas = loweredBy(maxPriorityFeePerGas, perMille);
  }
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * A new offer: twice the base fee, enough for five full blocks in a row, plus the suggested tip; less if that left no
 * room for raises, but what the next block needs.
 * @param most The most per gas, if less than the chain's cap.
 * @returns undefined if that is below what the next block needs.
 */
export function offerAt(
  { baseFee, tip }: GasMarket,
  rules: FeeRules,
  most = rules.feeCap.maxFeePerGas,
): GasPrice | undefined {
  const usual = capOf(rules, 'market');
  const maxPriorityFeePerGas = smaller(tip, usual.maxPriorityFeePerGas);
  // One full block may come first; it raises the base fee by an eighth.
  const minimum = baseFee + baseFee / 8n + maxPriorityFeePerGas;
  if (minimum > most) return undefined;
  const wanted = smaller(baseFee * 2n + maxPriorityFeePerGas, smaller(usual.maxFeePerGas, most));
  return { maxFeePerGas: larger(minimum, wanted), maxPriorityFeePerGas };
}

/** A higher offer, or the first of the fees whose cap does not allow it. */
export type Replacement = GasPrice | { readonly cappedBy: keyof GasPrice };

/**
 * An offer that replaces an earlier one: the current market price, but no less than the minimum price bump, which is at
 * least 12.5 %. There is none if that exceeds the cap, or no block would take what the cap allows: each raise would only
 * bring the fees closer to their caps, beyond which nothing can be replaced.
 * @param by What it offers them for.
 */
export function replacementOf(
  before: GasPrice,
  market: GasMarket,
  rules: FeeRules,
  by: 'replacement' | 'cancel',
): Replacement {
  const cap = capOf(rules, by);
  const now = offerAt(market, rules, cap.maxFeePerGas);
  if (now === undefined) return { cappedBy: 'maxFeePerGas' };
  const perMille = bumpOf(rules.priceBumpPercent);
  const maxFeePerGas = larger(now.maxFeePerGas, raisedBy(before.maxFeePerGas, perMille));
  const maxPriorityFeePerGas = larger(now.maxPriorityFeePerGas, raisedBy(before.maxPriorityFeePerGas, perMille));
  if (maxFeePerGas > cap.maxFeePerGas) return { cappedBy: 'maxFeePerGas' };
  if (maxPriorityFeePerGas > cap.maxPriorityFeePerGas) return { cappedBy: 'maxPriorityFeePerGas' };
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, maxFeePerGas) };
}

/** By how many thousandths both fees rise at least. */
function bumpOf(percent: number): bigint {
  return BigInt(Math.ceil(Math.max(12.5, percent) * 10));
}

function raisedBy(value: bigint, perMille: bigint): bigint {
  return value + (value * perMille) / 1_000n + 1n;
}

/** The highest value that raised is not above this one. */
function loweredBy(value: bigint, perMille: bigint): bigint {
  return ((value - 1n) * 1_000n) / (1_000n + perMille);
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
