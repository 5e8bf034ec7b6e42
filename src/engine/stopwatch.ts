import type { EpochMs } from '../core/epoch-ms.ts';
/** Measures for how long something has been the case. */
export class Stopwatch {
  #startedAt: EpochMs | undefined;

  /** Starts unless it runs. */
  start(now: EpochMs): void {
    this.#startedAt ??= now;
  }

  stop(): void {
    this.#startedAt = undefined;
  }

  /** Milliseconds since it was started; 0 while it is stopped. */
  elapsed(now: EpochMs): number {
    return now - (this.#startedAt ?? now);
  }
}
