/** More than these are counted, not shown. */
const MAX_SHOWN = 100;

/** What is wrong with an archive. */
export class Faults {
  readonly #shown: string[] = [];
  #count = 0;

  add(fault: string): void {
    this.#count += 1;
    if (this.#count <= MAX_SHOWN) this.#shown.push(fault);
  }

  /** @throws an error that names every fault, if there is one. */
  stop(): void {
    if (this.#count === 0) return;
    const more = this.#count > MAX_SHOWN ? [`and ${this.#count - MAX_SHOWN} more`] : [];
    throw new Error(`Nothing is imported:\n  ${[...this.#shown, ...more].join('\n  ')}`);
  }
}
