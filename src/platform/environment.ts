/**
 * Where a service runs: on a developer's machine, against test chains with partners' test systems, or for real.
 * What only development needs is refused in the other two.
 */
export const ENVIRONMENTS = ['local', 'staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
