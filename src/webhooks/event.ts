/** Every event that a corporate account can be told. */
export type EventType =
  | 'mint.confirmed'
  | 'mint.failed'
  | 'mint.cancelled'
  | 'transfer.confirmed'
  | 'transfer.failed'
  | 'transfer.cancelled'
  | 'contract.deployed'
  | 'contract.failed'
  | 'contract.cancelled'
  | 'ownership.transferred'
  | 'ownership.failed'
  | 'ownership.cancelled';

/** An event as the settle that made it happen states it. */
export interface EventDraft {
  readonly type: EventType;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that moment; frozen here. */
  readonly data: Readonly<Record<string, unknown>>;
}
