import type { Random } from './random.ts';

/** Something that will happen. */
interface Planned {
  readonly at: number;
  /** Decides, by the seed, between things that are due at the same time. */
  readonly rank: number;
  readonly order: number;
  readonly run: () => void | Promise<void>;
  cancelled: boolean;
}

/** Takes back what was planned; after it has happened this does nothing. */
export type Cancel = () => void;

/** Code that asks for the time so often in one turn will never come to a wait. */
const MOST_LOOKS = 100_000;

/**
 * Virtual time. Nothing runs by itself: what is planned runs one after the other in the order of its time, in an order
 * that the seed decides where times are equal, and all code that becomes ready has run to its next wait before the next
 * one begins.
 */
export class Scheduler {
  readonly #heap: Planned[] = [];
  readonly #random: Random;
  #now: number;
  #count = 0;
  #looks = 0;

  /** @param start Milliseconds since the epoch. */
  constructor(random: Random, start: number) {
    this.#random = random;
    this.#now = start;
  }

  /** Milliseconds since the epoch, with fractions. */
  now(): number {
    return this.#now;
  }

  /**
   * The same, for the product's code.
   * @throws where it goes round and round without a wait, which would hang the simulation as it hangs an isolate.
   */
  look(): number {
    this.#looks += 1;
    if (this.#looks > MOST_LOOKS) throw new Error('The code goes round without a wait');
    return this.#now;
  }

  /** Whether the last step went round without a wait. */
  get isStuck(): boolean {
    return this.#looks > MOST_LOOKS;
  }

  /** Plans something for a time, or for now where the time has passed. */
  at(time: number, run: Planned['run']): Cancel {
    const planned: Planned = {
      at: Math.max(time, this.#now),
      rank: this.#random.bits(),
      order: this.#count,
      run,
      cancelled: false,
    };
    this.#count += 1;
    this.#push(planned);
    return () => {
      planned.cancelled = true;
    };
  }

  /** Plans something for so many milliseconds from now. */
  after(milliseconds: number, run: Planned['run']): Cancel {
    return this.at(this.#now + Math.max(0, milliseconds), run);
  }

  /** Resolves after so many virtual milliseconds. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, () => resolve());
    });
  }

  /**
   * Lets the next planned thing happen, and all that follows from it at once.
   * @returns false when nothing is planned any more.
   */
  async step(): Promise<boolean> {
    let next = this.#pop();
    while (next?.cancelled === true) next = this.#pop();
    if (next === undefined) return false;
    this.#now = next.at;
    this.#looks = 0;
    await next.run();
    await settled();
    return true;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(planned);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(heap[index]!, heap[parent]!)) return;
      [heap[index], heap[parent]] = [heap[parent]!, heap[index]!];
      index = parent;
    }
  }

  #pop(): Planned | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ;) {
      const children = [2 * index + 1, 2 * index + 2].filter((child) => child < heap.length);
      const child = children.reduce((best, other) => (isBefore(heap[other]!, heap[best]!) ? other : best), index);
      if (child === index) return first;
      [heap[index], heap[child]] = [heap[child]!, heap[index]!];
      index = child;
    }
  }
}

/** Resolves when every promise job that is ready, and every one that it makes ready, has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isBefore(a: Planned, b: Planned): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.rank === b.rank ? a.order < b.order : a.rank < b.rank;
}
