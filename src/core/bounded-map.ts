import type { EpochMs } from './epoch-ms.ts';
/** A `Map` that holds at most `capacity` entries: setting one more drops the entry that was set longest ago. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    // A Map iterates in insertion order: deleting first moves a key that is set again to the end.
    this.delete(key);
    super.set(key, value);
    const oldest = this.keys().next();
    if (this.size > this.#capacity && oldest.done !== true) this.delete(oldest.value);
    return this;
  }
}

/** Values that expire after a fixed lifetime, in bounded memory: at capacity the one set longest ago is dropped. */
export class ExpiringMap<Value> {
  readonly #entries: BoundedMap<string, { readonly value: Value; readonly expiresAt: EpochMs }>;
  readonly #lifetimeMs: number;

  /**
   * @param lifetimeMs How long a value is held, in milliseconds.
   * @param capacity The most values that are held.
   */
  constructor(lifetimeMs: number, capacity: number) {
    this.#entries = new BoundedMap(capacity);
    this.#lifetimeMs = lifetimeMs;
  }

  /** @returns undefined when the value was never set, has expired or was dropped. */
  get(key: string, now: EpochMs): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > now ? entry.value : undefined;
  }

  /** @param since When the value was known to be true: the lifetime starts then. */
  set(key: string, value: Value, since: EpochMs): void {
    this.#entries.set(key, { value, expiresAt: since + this.#lifetimeMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
