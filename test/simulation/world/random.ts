import { createHash } from 'node:crypto';

/** A seeded random number generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed).digest();
    this.#seed = seed;
    this.#a = digest.readInt32LE(0);
    this.#b = digest.readInt32LE(4);
    this.#c = digest.readInt32LE(8);
  }

  /**
   * An independent generator: its numbers do not depend on how many are drawn elsewhere.
   */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }

  /** 32 bits, from 0. */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 up to but not including 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** An integer between both bounds, inclusive. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** A duration that is usually short: uniform on a logarithmic scale. */
  span(min: number, max: number): number {
    return min * (max / min) ** this.fraction();
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.whole(0, items.length - 1)] ?? items[0];
  }

  /** One of the items; undefined if there is none. */
  pickAny<Item>(items: readonly Item[]): Item | undefined {
    const [first, ...rest] = items;
    return first === undefined ? undefined : this.pick([first, ...rest]);
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, key: this.bits() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }

  fillBytes(bytes: Uint8Array): void {
    let bits = 0;
    for (let index = 0; index < bytes.length; index += 1) {
      bits = index % 4 === 0 ? this.bits() : bits >>> 8;
      bytes[index] = bits & 0xff;
    }
  }

  /** Random bytes as hex with `0x`. */
  hex(byteCount: number): `0x${string}` {
    const bytes = new Uint8Array(byteCount);
    this.fillBytes(bytes);
    return `0x${Buffer.from(bytes).toString('hex')}`;
  }
}
