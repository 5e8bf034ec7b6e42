/** The states of an order that has not ended. */
export const UNFINISHED_STATUSES = ['PENDING', 'PROCESSING', 'SENT'] as const;

/**
 * The states of an order, as its owner sees them:
 * - `PENDING`: accepted; no driver has claimed it
 * - `PROCESSING`: claimed; not known to be in a node's pool
 * - `SENT`: its transaction was sent and is not mined yet
 * - `CONFIRMED`: its effect is on chain
 * - `FAILED`: its effect is not on chain and never will be; `errorMessage` says why
 * - `CANCELLED`: as `FAILED`, because the customer cancelled it
 */
export const ORDER_STATUSES = [...UNFINISHED_STATUSES, 'CONFIRMED', 'FAILED', 'CANCELLED'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** What the states mean, for the API document. */
export const ORDER_STATUS_MEANING =
  'PENDING (or QUEUED): accepted. PROCESSING: claimed. SENT: broadcast. CONFIRMED: its effect is on chain. FAILED: it is not, and never will be. CANCELLED: as FAILED, on request';

/** Whether an order has ended without its effect, so that the same may be ordered again. */
export function endedWithoutEffect(status: OrderStatus): boolean {
  return status === 'FAILED' || status === 'CANCELLED';
}

/** The state in responses of an order that a second person must approve before anything is done for it. */
export const WAITING_FOR_APPROVAL = 'WAITING_FOR_APPROVAL';

/** What PENDING is in responses where the specification calls it QUEUED: relayed mints and ownership transfers. */
export function queuedStatus(status: OrderStatus): Exclude<OrderStatus, 'PENDING'> | 'QUEUED' {
  return status === 'PENDING' ? 'QUEUED' : status;
}

/** The states of a contract. */
export const CONTRACT_STATUSES = ['DEPLOYING', 'ACTIVE', 'FAILED'] as const;

export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

/** That of a contract by the status of its deployment. */
export function contractStatus(deployment: OrderStatus): ContractStatus {
  if (deployment === 'CONFIRMED') return 'ACTIVE';
  return deployment === 'FAILED' || deployment === 'CANCELLED' ? 'FAILED' : 'DEPLOYING';
}

/**
 * The states of a transaction that has not ended:
 * - `waiting`: nothing that may yet be mined is signed; it has no nonce
 * - `signed`: it has a nonce, and an attempt with it is stored
 */
export const UNFINISHED_STATES = ['waiting', 'signed'] as const;

export type UnfinishedState = (typeof UNFINISHED_STATES)[number];

/**
 * The states of a transaction that has ended:
 * - `confirmed`: its effect is on chain
 * - `failed`: its effect is not on chain and never will be
 * - `cancelled`: as `failed`, because the customer asked for it
 */
export const END_STATES = ['confirmed', 'failed', 'cancelled'] as const;

export type EndState = (typeof END_STATES)[number];

/** The status of an order that has ended. */
export const END_STATUS = {
  confirmed: 'CONFIRMED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
} as const satisfies Record<EndState, OrderStatus>;

export type TransactionState = UnfinishedState | EndState;

/**
 * Why an order is not signed now, and the name of that in the API:
 * - `not-now`: it cannot be determined yet whether it can succeed, or the chain does not answer
 * - `funds`: the wallet cannot pay for it
 * - `fee-cap`: the chain's fees are above the cap
 * - `inactive`: the account is INACTIVE
 * - `paused`: the operator has paused the account or the chain, or the wallet's lane waits until it is certain that the
 *   database lacks nothing that was signed
 * - `limit`: the account's limits do not allow it, or not now
 * - `earlier-request`: it is not its turn: an earlier request of its signer has not ended, or the order that it follows
 *   is not CONFIRMED. Never stored: it holds as long as that is so
 */
export const HOLD_REASONS = {
  'not-now': 'NOT_NOW',
  funds: 'FUNDS',
  'fee-cap': 'FEE_CAP',
  inactive: 'INACTIVE',
  paused: 'PAUSED',
  limit: 'LIMIT',
  'earlier-request': 'EARLIER_REQUEST',
} as const;

export type HoldReason = keyof typeof HOLD_REASONS;
