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
