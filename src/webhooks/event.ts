/** Every event that a corporate account can be told. */
export type EventType =
  | 'mint.confirmed'
  | 'mint.failed'
  | 'transfer.confirmed'
  | 'transfer.failed'
  | 'contract.deployed'
  | 'contract.failed'
  | 'ownership.transferred'
  | 'ownership.failed';

/** An event as the settle that made it happen states it. */
export interface EventDraft {
  readonly type: EventType;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that moment; frozen here. */
  readonly data: Readonly<Record<string, unknown>>;
}
