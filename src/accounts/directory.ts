import type { Clock } from '../core/clock.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import { readTogether, singleFlight } from '../core/single-flight.ts';

/**
 * How long a value that was read is cached. Together with the second during which concurrent reads share one query,
 * this keeps the promise of docs/keys.md: a change takes effect within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name that had a value is looked up without waiting for other names. */
const REMEMBERED_MS = 600_000;
const CAPACITY = 10_000;

export interface Directory<Value> {
  /**
   * @param allow Called before a query for a name that had no value in the last ten minutes; throws when the caller may
   *   make no more of them.
   * @returns undefined when nothing has that name.
   */
  find(name: string, allow?: () => Promise<void>): Promise<Value | undefined>;
}

/**
 * Caches values by name, and unknown names, for a second. Names that had no value in the last ten minutes are looked up
 * together: invented names cost few round trips, and do not delay the lookups of names in use.
 * @param readMany Its result omits names without a value.
 */
export function createDirectory<Value>(
  readMany: (names: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  clock: Clock,
): Directory<Value> {
  const known = new ExpiringMap<Value>(CACHE_MS, CAPACITY);
  const unknown = new ExpiringMap<true>(CACHE_MS, CAPACITY);
  const remembered = new ExpiringMap<true>(REMEMBERED_MS, CAPACITY);

  const lookUpTogether = readTogether(readMany);
  const lookUpAlone = async (name: string) => (await readMany([name])).get(name);

  const lookUp = singleFlight(async (_, name: string, startedAt: EpochMs) => {
    const isRemembered = remembered.get(name, startedAt) === true;
    const value = await (isRemembered ? lookUpAlone : lookUpTogether)(name);
    if (value === undefined) {
      known.delete(name);
      remembered.delete(name);
      unknown.set(name, true, startedAt);
    } else {
      known.set(name, value, startedAt);
      remembered.set(name, true, startedAt);
    }
    return value;
  });

  return {
    async find(name, allow) {
      const now = clock.now();
      const cached = known.get(name, now);
      if (cached !== undefined) return cached;
      if (unknown.get(name, now) === true) return undefined;
      if (remembered.get(name, now) === undefined) await allow?.();
      // Shared only with queries started in the same second: the result of a slow one may be out of date.
      return await lookUp(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
