/**
 * Where the service runs: on a developer's machine, in staging against test chains, or in production.
 * Development settings are rejected in the latter two.
 */
export const ENVIRONMENTS = ['local', 'staging', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
