/**
 * How long a token is taken to have no document and no order, after the database said so. Shorter than any mint takes from
 * its order to its end, so that what is remembered never hides one.
 */
const REMEMBERED_MS = 50;
const CAPACITY = 10_000;

export interface UnknownTokens {
  has(key: string, now: number): boolean;
  add(key: string, now: number): void;
  forget(key: string): void;
}

/** Remembers, briefly and in bounded memory, for which tokens there is nothing, so that asking again and again is cheap. */
export function createUnknownTokens(): UnknownTokens {
  const until = new Map<string, number>();
  return {
    has: (key, now) => (until.get(key) ?? 0) > now,
    add(key, now) {
      // A map keeps the order of its keys: the first one is the oldest.
      until.delete(key);
      until.set(key, now + REMEMBERED_MS);
      const [oldest] = until.keys();
      if (until.size > CAPACITY && oldest !== undefined) until.delete(oldest);
    },
    forget: (key) => void until.delete(key),
  };
}
