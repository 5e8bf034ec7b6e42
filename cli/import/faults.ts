/** More than these are counted, not shown. */
const MAX_SHOWN = 100;

/** Characters of a fault that are shown. */
const MAX_LENGTH = 1_000;

/** What is wrong with an archive. */
export class Faults {
  readonly #shown: string[] = [];
  #count = 0;

  /** @param fault May quote what an archive says: what controls a terminal is shown as `?`. */
  add(fault: string): void {
    this.#count += 1;
    if (this.#count <= MAX_SHOWN) this.#shown.push(fault.slice(0, MAX_LENGTH).replaceAll(/\p{C}/gu, '?'));
  }

  /** @throws an error that names every fault, if there is one. */
  stop(): void {
    if (this.#count === 0) return;
    const more = this.#count > MAX_SHOWN ? [`and ${this.#count - MAX_SHOWN} more`] : [];
    throw new Error(`Nothing is imported:\n  ${[...this.#shown, ...more].join('\n  ')}`);
  }
}
