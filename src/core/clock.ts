import type { EpochMs } from './epoch-ms.ts';
/** The current time, injected: use cases never ask the runtime for it. */
export interface Clock {
  now(): EpochMs;
}

export const systemClock: Clock = { now: () => Date.now() };
