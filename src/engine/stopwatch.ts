/** Measures for how long something has been the case. Times are in milliseconds since the epoch. */
export class Stopwatch {
  #startedAt: number | undefined;

  /** Starts unless it runs. */
  start(now: number): void {
    this.#startedAt ??= now;
  }

  stop(): void {
    this.#startedAt = undefined;
  }

  /** Milliseconds since it was started; 0 while it is stopped. */
  elapsed(now: number): number {
    return now - (this.#startedAt ?? now);
  }
}
