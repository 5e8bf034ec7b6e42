import { waitUntil } from 'cloudflare:workers';
import { within } from './within.ts';

/** A request that waits takes the turns over itself when it has seen none given for so long: the one that gave them is lost. */
const LOST_AFTER_MS = 2_000;
/** A request gives so many turns and then hands over, since `waitUntil` keeps it alive for half a minute only. */
const TURNS_PER_REQUEST = 50;

/**
 * Turns for work on a thread that requests share. One request begins at a time, and whatever else is ready runs before the next one: a timer
 * fires after that. Who waits takes turns by key, so that a key with many requests delays its own.
 */
export class Turns {
  /** Key -> its requests that wait, in order. The first key is the next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The request that gives the turns; undefined while none waits. */
  #giver: symbol | undefined;
  /** The next request that begins becomes the giver. Until one does, the former one goes on: the next may have been cancelled. */
  #isHandingOver = false;
  #given = 0;

  /**
   * Resolves when a request may begin: at once if no other has just begun.
   * @param key Whose request it is.
   */
  async take(key: string): Promise<void> {
    if (this.#giver !== undefined) await this.#wait(key);
    if (this.#giver !== undefined && !this.#isHandingOver) return;
    const giver = Symbol('giver');
    this.#giver = giver;
    this.#isHandingOver = false;
    waitUntil(this.#give(giver));
  }

  async #give(giver: symbol): Promise<void> {
    for (let turn = 1; ; turn += 1) {
      // The request that has begun goes on to what it waits for, and then runs what was ready by that time.
      await scheduler.wait(0);
      await scheduler.wait(0);
      if (this.#giver !== giver) return;
      if (turn === TURNS_PER_REQUEST) this.#isHandingOver = true;
      if (!this.#begin()) break;
    }
    this.#giver = undefined;
  }

  /** @returns whether there was one that waited; it may have been cancelled. */
  #begin(): boolean {
    const [next] = this.#waiting;
    if (next === undefined) return false;
    const [key, requests] = next;
    const begin = requests.shift();
    this.#waiting.delete(key);
    if (requests.length > 0) this.#waiting.set(key, requests);
    this.#given += 1;
    begin?.();
    return true;
  }

  async #wait(key: string): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const requests = this.#waiting.get(key) ?? [];
    requests.push(turn.resolve);
    this.#waiting.set(key, requests);
    for (;;) {
      const given = this.#given;
      if ((await within(LOST_AFTER_MS, turn.promise)) !== undefined) return;
      if (given !== this.#given) continue;
      this.#leave(key, turn.resolve);
      this.#given += 1;
      this.#giver = undefined;
      return;
    }
  }

  #leave(key: string, begin: () => void): void {
    const others = (this.#waiting.get(key) ?? []).filter((other) => other !== begin);
    if (others.length > 0) this.#waiting.set(key, others);
    else this.#waiting.delete(key);
  }
}
