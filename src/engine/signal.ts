/** A counted signal between the tasks of one object. */
export class Signal {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** How often the signal was raised. */
  get count(): number {
    return this.#count;
  }

  raise(): void {
    this.#count += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Resolves when the signal is raised after its count was `seen`, at once if that has already happened, and at the
   * latest after `milliseconds`.
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

/** Resolves after the given number of milliseconds. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
