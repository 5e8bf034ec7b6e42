import type { EpochMs } from '../core/epoch-ms.ts';
import type { HoldReason } from '../platform/database/vocabulary/order-status.ts';
import type { Settings } from '../platform/env.ts';
import type { TransactionRow } from './job.ts';

/** Why a driver holds an order. */
type DriverHold = Exclude<HoldReason, 'earlier-request'>;

/** The longest delay before the next try, in seconds. */
const MAX_DELAY: Readonly<Record<DriverHold, number>> = {
  'not-now': 60,
  funds: 15,
  'fee-cap': 15,
  inactive: 60,
  paused: 60,
  limit: 60,
};

/**
 * When a held transaction is tried again, with exponential backoff.
 * @param tries The number of tries so far.
 */
export function nextTryAt(reason: DriverHold, tries: number, now: EpochMs): Date {
  const seconds = Math.min(MAX_DELAY[reason], 2 ** Math.min(tries, 10));
  return new Date(now + seconds * 1_000);
}

/**
 * Whether a transaction has been held for a reason for as long as the settings allow. Pauses, fee caps and limits of
 * accounts have no end.
 */
export function isHoldExpired(
  transaction: Pick<TransactionRow, 'holdReason' | 'heldSince'>,
  reason: HoldReason,
  settings: Pick<Settings, 'FUNDS_PATIENCE_HOURS' | 'INACTIVE_PATIENCE_HOURS' | 'NOT_NOW_PATIENCE_HOURS'>,
  now: EpochMs,
): boolean {
  const hours: Readonly<Partial<Record<HoldReason, number>>> = {
    funds: settings.FUNDS_PATIENCE_HOURS,
    inactive: settings.INACTIVE_PATIENCE_HOURS,
    'not-now': settings.NOT_NOW_PATIENCE_HOURS,
  };
  return isHeldFor(transaction, reason, (hours[reason] ?? Infinity) * 3_600_000, now);
}

/** Whether a transaction has been held for a reason for so many milliseconds. */
export function isHeldFor(
  { holdReason, heldSince }: Pick<TransactionRow, 'holdReason' | 'heldSince'>,
  reason: HoldReason,
  ms: number,
  now: EpochMs,
): boolean {
  return holdReason === reason && heldSince !== null && now - heldSince.getTime() >= ms;
}

const PAUSED_BY_OPERATOR = 'The operator has paused the ';

/** The detail of a hold by a pause. */
export function pauseDetail(paused: 'account' | 'chain'): string {
  return PAUSED_BY_OPERATOR + paused;
}

/** What the account or the operator must end. A pause does not replace it: it would last after the pause. */
export const LASTING_HOLDS = ['funds', 'inactive', 'limit'] as const satisfies readonly HoldReason[];

/** The hold of a transaction in a pause. */
export function pauseHold(
  { holdReason, holdDetail }: Pick<TransactionRow, 'holdReason' | 'holdDetail'>,
  paused: 'account' | 'chain',
): { readonly reason: HoldReason; readonly detail: string } {
  const lasting = LASTING_HOLDS.find((reason) => reason === holdReason);
  if (lasting === undefined || holdDetail === null) return { reason: 'paused', detail: pauseDetail(paused) };
  const [own] = holdDetail.split(`. ${PAUSED_BY_OPERATOR}`);
  return { reason: lasting, detail: `${own}. ${pauseDetail(paused)}` };
}
