import { within } from '../core/within.ts';

/** Places for requests that run at the same time. Who finds none waits, first come, first served. */
export class RequestPlaces {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param count How many there are. */
  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a place.
   * @param withinMs The milliseconds after which it is no longer waited for.
   * @returns whether there was one; then `leave` is to be called.
   */
  async take(withinMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    const place = Promise.withResolvers<void>();
    this.#waiting.add(place.resolve);
    const given = await within(withinMs, place.promise);
    return given !== undefined || !this.#waiting.delete(place.resolve);
  }

  /** Leaves a place to the one that has waited longest. */
  leave(): void {
    const [give] = this.#waiting;
    if (give === undefined) {
      this.#free += 1;
    } else {
      this.#waiting.delete(give);
      give();
    }
  }
}
