/**
 * All event types and when each is sent. The order kinds define which of them they emit, and the data.
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
  'ownership.failed': 'An ownership transfer is FAILED',
  'ownership.cancelled': 'An ownership transfer is CANCELLED',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/**
 * State of an event:
 * - `PENDING`: not attempted yet
 * - `RETRYING`: an attempt failed, another follows
 * - `SUCCESS`, `FAILED`: final
 * - `SKIPPED`: final; the account has no webhook URL
 */
export const EVENT_STATUSES = {
  statuses: ['PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'SKIPPED'],
  unfinished: ['PENDING', 'RETRYING'],
} as const;

/** An event before it is stored. */
export interface EventDraft {
  readonly type: EventType;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that time. */
  readonly data: Readonly<Record<string, unknown>>;
}
