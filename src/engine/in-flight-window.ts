/** How many nonces of a wallet may be in flight. */
export class InFlightWindow {
  readonly #max: number;
  #size: number;
  /** Transactions mined since the size last changed. */
  #mined = 0;

  constructor(size: number, max: number) {
    this.#max = max;
    this.#size = Math.min(max, size);
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Doubles each time a whole window has been mined. Acceptance by a node does not count: some drop transactions later.
   */
  countMined(count: number): void {
    this.#mined += count;
    if (this.#mined >= this.#size) this.#resize(this.#size * 2);
  }

  /** A node's pool is full, or nothing was mined for several blocks. */
  halve(): void {
    this.#resize(Math.floor(this.#size / 2));
  }

  #resize(size: number): void {
    this.#size = Math.min(this.#max, Math.max(1, size));
    this.#mined = 0;
  }
}
