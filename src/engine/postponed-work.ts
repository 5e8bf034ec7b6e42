/** The number of ends whose work may be waiting. */
const MAX_ENDS = 2_000;

/** Best-effort work after orders have ended. */
interface Work {
  /** The number of ended orders. */
  readonly ends: number;
  /** Never rejects. */
  run(): Promise<void>;
}

/** Work that waits until its lane is idle, oldest first. */
export class PostponedWork {
  #waiting: Work[] = [];

  /** @returns the oldest work, which must not wait longer because too much is waiting. */
  add(work: Work): readonly Work[] {
    this.#waiting.push(work);
    let ends = this.#waiting.reduce((sum, each) => sum + each.ends, 0);
    const overdue = this.#waiting.findIndex((each) => {
      if (ends <= MAX_ENDS) return true;
      ends -= each.ends;
      return false;
    });
    return this.#waiting.splice(0, overdue < 0 ? this.#waiting.length : overdue);
  }

  /** Takes the oldest work; undefined if there is none. */
  take(): Work | undefined {
    return this.#waiting.shift();
  }
}
