import type { Clock } from '../core/clock.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { readTogether, singleFlight } from '../core/single-flight.ts';

/**
 * How long a value that was read is cached. Together with the second during which concurrent reads share one query, this
 * keeps the promise of docs/operations.md: a change takes effect within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name that was found is looked up again by itself, without waiting for others. */
const KNOWN_NAME_MS = 600_000;
const CAPACITY = 10_000;

export interface Directory<Value> {
  /**
   * @param allowLookUp Called before a query for a name that was not found in the last ten minutes; throws when the caller
   *   may make no more of them.
   * @returns undefined when nothing has that name.
   */
  find(name: string, allowLookUp?: () => Promise<void>): Promise<Value | undefined>;
}

/**
 * Caches values by name, and unknown names, for a second, so that requests rarely need a database round trip. Names
 * that were not found in the last ten minutes are looked up together: invented names cost few round trips, and do not
 * delay the lookups of names in use.
 * @param readMany Reads the values of some names; its result omits names without a value.
 */
export function createDirectory<Value>(
  readMany: (names: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  clock: Clock,
): Directory<Value> {
  const known = new ExpiringMap<Value>(CACHE_MS, CAPACITY);
  const unknown = new ExpiringMap<true>(CACHE_MS, CAPACITY);
  const knownNames = new ExpiringMap<true>(KNOWN_NAME_MS, CAPACITY);

  const lookUpTogether = readTogether(readMany);
  const lookUpAlone = async (name: string) => (await readMany([name])).get(name);

  const lookUp = singleFlight(async (_, name: string, startedAt: number) => {
    const value = await (knownNames.get(name, startedAt) === true ? lookUpAlone : lookUpTogether)(name);
    if (value === undefined) {
      known.delete(name);
      unknown.set(name, true, startedAt);
    } else {
      known.set(name, value, startedAt);
      knownNames.set(name, true, startedAt);
    }
    return value;
  });

  return {
    async find(name, allowLookUp) {
      const now = clock.now();
      const cached = known.get(name, now);
      if (cached !== undefined) return cached;
      if (unknown.get(name, now) === true) return undefined;
      if (knownNames.get(name, now) !== true) await allowLookUp?.();
      // Shared only with queries started in the same second: the result of a slow one may be out of date.
      return await lookUp(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
