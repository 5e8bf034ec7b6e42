import { createHash } from 'node:crypto';

/** The trace of a simulation, with the virtual time of each step. Two runs of one seed have the same trace. */
export class Trace {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #now: () => number;

  /** @param now Virtual milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  add(text: string): void {
    const line = `${(this.#now() / 1_000).toFixed(3)} ${text}`;
    this.lines.push(line);
    this.#hash.update(line).update('\n');
  }

  /** The hash of all lines so far. */
  hash(): string {
    return this.#hash.copy().digest('hex');
  }
}
