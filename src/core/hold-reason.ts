/**
 * Why an order gets no first signature now, and what the API calls it:
 * - `not-now`: the chain does not show yet whether it can be carried out, or does not answer
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
