/**
 * The states of an order, by the stage of what carries it out:
 * - `PENDING`: accepted; no driver has taken it up
 * - `PROCESSING`: taken up; nothing of it is known to be in a node's pool
 * - `SENT`: its transaction was sent and seen unmined
 * - `CONFIRMED`: its effect is on chain
 * - `FAILED`: its effect is not on chain and never will be; `errorMessage` says why
 * - `CANCELLED`: as `FAILED`, because the customer asked for it
 */
export const ORDER_STATUS = {
  waiting: 'PENDING',
  processing: 'PROCESSING',
  sent: 'SENT',
  confirmed: 'CONFIRMED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
} as const;

/** A stage of an order, whatever its table calls it. */
export type OrderStage = keyof typeof ORDER_STATUS;

export type OrderStatus = (typeof ORDER_STATUS)[OrderStage];

/** The stages of orders that have not ended. */
export const UNFINISHED_STAGES = ['waiting', 'processing', 'sent'] as const satisfies readonly OrderStage[];

/** Whether an order has ended without its effect, so that what it asked for may be ordered again. */
export function hasEndedInVain(status: OrderStatus): boolean {
  return status === 'FAILED' || status === 'CANCELLED';
}

/** Where the specification calls PENDING QUEUED: relayed mints as they are accepted, and the jobs of hand-overs. */
export const QUEUED_ORDER_STATUS = { ...ORDER_STATUS, waiting: 'QUEUED' } as const;

export function queuedStatus(status: OrderStatus): Exclude<OrderStatus, 'PENDING'> | 'QUEUED' {
  return status === 'PENDING' ? 'QUEUED' : status;
}

/** What a contract's record calls the stages of its deployment. */
export const CONTRACT_STATUS = {
  waiting: 'DEPLOYING',
  processing: 'DEPLOYING',
  sent: 'DEPLOYING',
  confirmed: 'ACTIVE',
  failed: 'FAILED',
  cancelled: 'FAILED',
} as const satisfies Record<OrderStage, string>;

export const CONTRACT_STATUSES = ['DEPLOYING', 'ACTIVE', 'FAILED'] as const;

export type ContractStatus = (typeof CONTRACT_STATUSES)[number];
