import type { AttemptRow } from './job.ts';
import { offerOf } from './job.ts';
import type { GasMarket } from './fees.ts';
import type { Sending } from './lane-state.ts';

/** How many blocks the next transaction in line may stay unmined before a higher suggested tip justifies a replacement. */
const PATIENT_BLOCKS = 3;

/** What decides whether an attempt is replaced by one with higher fees. */
export interface ReplacementCase {
  readonly attempt: AttemptRow;
  /** The result of the last send; undefined if this object has not sent it. */
  readonly sending: Sending | undefined;
  /** Whether its nonce is the next to be mined. */
  readonly isFirst: boolean;
  readonly market: GasMarket;
  /** The head's block number. */
  readonly block: number;
  /** The head's block number when it was first sent or became next in line, whichever is later. */
  readonly since: number;
}

/**
 * Whether to replace an attempt by one with the same nonce and higher fees: only if the head has advanced since, and the
 * node reports it as underpriced, or the base fee is above its offer, or it has been next in line for several blocks and
 * the suggested tip is 10 % above its own. An empty wallet, a refusal or a chain without new blocks is never a reason.
 */
export function isReplaceable({ attempt, sending, isFirst, market, block, since }: ReplacementCase): boolean {
  if (block <= since) return false;
  const offer = offerOf(attempt);
  if (offer === undefined) return false;
  const isCurrent = sending?.hash === attempt.hash;
  if (isCurrent && sending.underpriced) return true;
  if (market.baseFee > offer.maxFeePerGas) return true;
  return isFirst && block - since >= PATIENT_BLOCKS && market.tip * 10n > offer.maxPriorityFeePerGas * 11n;
}

/**
 * The interval before sent but unmined bytes are sent again, in milliseconds. It grows with the attempt's age.
 * @param isConclusive Whether the node's last reply says what it did with them.
 */
export function resendAfter(attemptAgeMs: number, isConclusive: boolean, blockTimeMs: number): number {
  const minimum = isConclusive ? Math.max(5 * blockTimeMs, 5_000) : 1_000;
  return Math.min(120_000, Math.max(minimum, attemptAgeMs / 2));
}
