export interface BriefMemory<Value> {
  get(key: string, now: number): Value | undefined;
  /** @param since When the value was true, in milliseconds since the epoch: it is forgotten a lifetime after that. */
  set(key: string, value: Value, since: number): void;
  delete(key: string): void;
}

/**
 * Values that are held for a short time in bounded memory; at capacity the one set longest ago is dropped.
 * @param lifetimeMs How long a value is held, in milliseconds.
 * @param capacity How many values are held.
 */
export function createBriefMemory<Value>(lifetimeMs: number, capacity: number): BriefMemory<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key, now) {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > now ? entry.value : undefined;
    },
    set(key, value, since) {
      // A map keeps the order of its keys: the first one is the oldest.
      entries.delete(key);
      entries.set(key, { value, until: since + lifetimeMs });
      const [oldest] = entries.keys();
      if (entries.size > capacity && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
