import { createHash } from 'node:crypto';

/** What happened in a simulation, a line a step, with the virtual time. Two runs of one seed have the same lines. */
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

  /** Of all lines up to now. */
  hash(): string {
    return this.#hash.copy().digest('hex');
  }
}
