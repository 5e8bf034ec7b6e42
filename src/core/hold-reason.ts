/**
 * Why an order is not signed now, and the name of that in the API:
 * - `not-now`: it cannot be determined yet whether it can succeed, or the chain does not answer
 * - `funds`: the wallet cannot pay for it
 * - `fee-cap`: the chain's fees are above the cap
 * - `inactive`: the account is INACTIVE
 * - `paused`: the operator has paused the account or the chain
 * - `limit`: the account's limits do not allow it, or not now
 */
export const HOLD_REASONS = {
  'not-now': 'NOT_NOW',
  funds: 'FUNDS',
  'fee-cap': 'FEE_CAP',
  inactive: 'INACTIVE',
  paused: 'PAUSED',
  limit: 'LIMIT',
} as const;

export type HoldReason = keyof typeof HOLD_REASONS;
