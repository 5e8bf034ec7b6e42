/** Wakes whoever waits in the same object. */
export class Signal {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** How often it was given. */
  get count(): number {
    return this.#count;
  }

  give(): void {
    this.#count += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Resolves when it is given after its count was `seen`, at once where it was already; and at the latest after so
   * many milliseconds.
   */
  async after(seen: number, milliseconds: number): Promise<void> {
    if (this.#count !== seen || milliseconds <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
