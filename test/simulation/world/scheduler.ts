import type { Random } from './random.ts';

/** A scheduled event. */
interface Planned {
  readonly at: number;
  /** Orders simultaneous events by the seed. */
  readonly rank: number;
  readonly order: number;
  readonly run: () => void | Promise<void>;
  cancelled: boolean;
}

/** Cancels a scheduled event; does nothing after it has happened. */
export type Cancel = () => void;

/** Code that reads the clock more often than this in one turn is a busy loop. */
const MAX_CLOCK_READS = 100_000;

/**
 * Virtual time. Scheduled events run one after another in order of time; the seed orders simultaneous ones. All code
 * that becomes ready runs to its next wait before the next event.
 */
export class Scheduler {
  readonly #heap: Planned[] = [];
  readonly #random: Random;
  #now: number;
  #count = 0;
  #clockReads = 0;

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
   * @throws in a busy loop, which would hang the simulation as it would hang an isolate.
   */
  readClock(): number {
    this.#clockReads += 1;
    if (this.#clockReads > MAX_CLOCK_READS) throw new Error('Busy loop');
    return this.#now;
  }

  /** Whether the last step was a busy loop. */
  get isStuck(): boolean {
    return this.#clockReads > MAX_CLOCK_READS;
  }

  /** Schedules an event, for now if the time has passed. */
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

  /** Schedules an event after a delay in milliseconds. */
  after(milliseconds: number, run: Planned['run']): Cancel {
    return this.at(this.#now + Math.max(0, milliseconds), run);
  }

  /** Resolves after the given number of virtual milliseconds. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, () => resolve());
    });
  }

  /**
   * Runs the next event and everything that follows from it immediately.
   * @returns false if nothing is scheduled any more.
   */
  async step(): Promise<boolean> {
    let next = this.#pop();
    while (next?.cancelled === true) next = this.#pop();
    if (next === undefined) return false;
    this.#now = next.at;
    this.#clockReads = 0;
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
      const left = 2 * index + 1;
      let child = left < heap.length && isBefore(heap[left]!, heap[index]!) ? left : index;
      if (left + 1 < heap.length && isBefore(heap[left + 1]!, heap[child]!)) child = left + 1;
      if (child === index) return first;
      [heap[index], heap[child]] = [heap[child]!, heap[index]!];
      index = child;
    }
  }
}

/** Resolves when all ready promise jobs, and those that they make ready, have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isBefore(a: Planned, b: Planned): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.rank === b.rank ? a.order < b.order : a.rank < b.rank;
}
