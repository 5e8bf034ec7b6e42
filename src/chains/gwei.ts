/** One gwei in wei. */
export const GWEI = 1_000_000_000n;
