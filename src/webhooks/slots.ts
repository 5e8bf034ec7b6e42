import { within } from '../core/within.ts';

/** Slots for requests that run at the same time. Callers wait in turn when none is free. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Acquires a slot, which the caller then has to {@link release}.
   * @param withinMs How long to wait for one, in milliseconds.
   * @returns false if none was free in time.
   */
  async acquire(withinMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    const slot = Promise.withResolvers<void>();
    this.#waiting.add(slot.resolve);
    const given = await within(withinMs, slot.promise);
    return given !== undefined || !this.#waiting.delete(slot.resolve);
  }

  /** Passes a slot to whoever has waited longest. */
  release(): void {
    const [give] = this.#waiting;
    if (give === undefined) {
      this.#free += 1;
    } else {
      this.#waiting.delete(give);
      give();
    }
  }
}
