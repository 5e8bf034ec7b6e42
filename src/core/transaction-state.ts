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

export type TransactionState = UnfinishedState | EndState;
