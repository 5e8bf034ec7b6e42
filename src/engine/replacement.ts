import type { AttemptRow } from './job.ts';
import { offerOf } from './job.ts';
import type { GasMarket } from './fees.ts';
import type { Sending } from './lane-state.ts';

/** Blocks for which the first in line may stay unmined, before a tip above its own is a reason. */
const PATIENT_BLOCKS = 3;

/** What bears on whether an attempt is replaced by one that offers more. */
export interface Waiting {
  readonly attempt: AttemptRow;
  /** How it was sent last; undefined where this object has not sent it. */
  readonly sending: Sending | undefined;
  /** Its nonce is the next that can be mined. */
  readonly isFirst: boolean;
  readonly market: GasMarket;
  /** Number of the newest block. */
  readonly block: number;
  /** The head when it was signed, or when it became first in line, whichever came later. */
  readonly since: number;
}

/**
 * Whether an attempt is replaced by one with the same nonce that offers more: only when the head has moved since, and
 * the node calls it underpriced, or the base fee is above its offer, or it is first in line for several blocks while
 * the suggested tip is a tenth above its own. A wallet without funds, a refusal or a chain that makes no blocks is
 * never a reason.
 */
export function isReplaceable({ attempt, sending, isFirst, market, block, since }: Waiting): boolean {
  if (block <= since) return false;
  const offer = offerOf(attempt);
  if (offer === undefined) return false;
  const isCurrent = sending?.hash === attempt.hash;
  if (isCurrent && sending.underpriced) return true;
  if (market.baseFee > offer.maxFeePerGas) return true;
  return isFirst && block - since >= PATIENT_BLOCKS && market.tip * 10n > offer.maxPriorityFeePerGas * 11n;
}

/**
 * How long bytes that are sent and not mined are left alone, in milliseconds: longer and longer.
 * @param isClear Whether the node said what it did with them.
 */
export function resendAfter(attemptAgeMs: number, isClear: boolean, blockTimeMs: number): number {
  const least = isClear ? Math.max(5 * blockTimeMs, 5_000) : 1_000;
  return Math.min(120_000, Math.max(least, attemptAgeMs / 2));
}
