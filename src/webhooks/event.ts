/**
 * Where an event stands:
 * - `PENDING`: no attempt was made yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: the end
 * - `SKIPPED`: the account has no target
 */
export const EVENT_STATUSES = {
  statuses: ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'],
  unfinished: ['PENDING', 'RETRYING'],
} as const;

/** An event as the ending that made it happen states it. */
export interface EventDraft {
  /** Of the event, as in `mint.confirmed`. */
  readonly type: string;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that moment; frozen here. */
  readonly data: Readonly<Record<string, unknown>>;
}
