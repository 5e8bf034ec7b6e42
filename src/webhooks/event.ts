/**
 * Every event that a corporate account can be told, and when. The kinds of orders say which of them are theirs and what
 * data they carry.
 */
export const EVENT_TYPES = {
  'mint.confirmed': 'A mint order is CONFIRMED, direct or relayed',
  'mint.failed': 'A mint order is FAILED',
  'mint.cancelled': 'A mint order is CANCELLED',
  'transfer.confirmed': 'A transfer order is CONFIRMED',
  'transfer.failed': 'A transfer order is FAILED',
  'transfer.cancelled': 'A transfer order is CANCELLED',
  'contract.deployed': 'A contract or forwarder is ACTIVE',
  'contract.failed': 'The deployment of a contract or forwarder is FAILED',
  'contract.cancelled': 'The deployment of a contract or forwarder was cancelled: FAILED',
  'ownership.transferred': 'A contract has its new owner',
  'ownership.failed': 'A hand-over of a contract is FAILED',
  'ownership.cancelled': 'A hand-over of a contract is CANCELLED',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** Specification, Events 5: five attempts with exponential backoff. */
export const MAX_ATTEMPTS = 5;

/**
 * Where a delivery stands:
 * - `PENDING`: no attempt was made yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: the end
 * - `SKIPPED`: the end; the endpoint has no URL, or is not enabled
 */
export const DELIVERY_STATUSES = {
  statuses: ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'],
  unfinished: ['PENDING', 'RETRYING'],
} as const;

/** An event as the ending that made it happen states it. */
export interface EventDraft {
  readonly type: EventType;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that moment; frozen here. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of an event: the exact bytes of every attempt. */
export function payloadOf({
  type,
  at,
  data,
}: {
  readonly type: string;
  readonly at: Date;
  readonly data: object;
}): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
