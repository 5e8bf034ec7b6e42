import type { Clock } from '../core/clock.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { readTogether, singleFlight } from '../core/single-flight.ts';
import { Outdated, type Assumptions } from '../platform/database/assumptions.ts';
import type { Rows } from '../platform/database/client.ts';

/**
 * How long a value that was read is cached. Together with the second during which concurrent reads share one query,
 * this keeps the promise of docs/operations.md: a change takes effect within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a value that was found is assumed, or looked up again without waiting for other names. */
const REMEMBERED_MS = 600_000;
const CAPACITY = 10_000;

/** How values are read by their names. */
export interface Source<Row, Value> {
  readonly query: (names: readonly string[]) => Rows<Row> & PromiseLike<Row[]>;
  /** Its result omits names without a value. */
  readonly valuesOf: (rows: readonly Row[]) => ReadonlyMap<string, Value>;
}

interface LookUp {
  /**
   * Called before a query for a name that was not found in the last ten minutes; throws when the caller may make no
   * more of them.
   */
  readonly allow?: () => Promise<void>;
  /** Where given, what was found in the last ten minutes is assumed: the request's next query confirms it. */
  readonly assumptions?: Assumptions | undefined;
}

export interface Directory<Value> {
  /** @returns undefined when nothing has that name. */
  find(name: string, lookUp?: LookUp): Promise<Value | undefined>;
}

/**
 * Caches values by name, and unknown names, for a second. An older value is assumed and confirmed with the request's
 * next query, so that it costs no round trip. Names that were not found in the last ten minutes are looked up together:
 * invented names cost few round trips, and do not delay the lookups of names in use.
 */
export function createDirectory<Row, Value>(source: Source<Row, Value>, clock: Clock): Directory<Value> {
  const known = new ExpiringMap<Value>(CACHE_MS, CAPACITY);
  const unknown = new ExpiringMap<true>(CACHE_MS, CAPACITY);
  const remembered = new ExpiringMap<Value>(REMEMBERED_MS, CAPACITY);

  const readMany = async (names: readonly string[]) => source.valuesOf(await source.query(names));
  const lookUpTogether = readTogether(readMany);
  const lookUpAlone = async (name: string) => (await readMany([name])).get(name);

  const keep = (name: string, value: Value | undefined, readAt: number) => {
    if (value === undefined) {
      known.delete(name);
      remembered.delete(name);
      unknown.set(name, true, readAt);
    } else {
      known.set(name, value, readAt);
      remembered.set(name, value, readAt);
    }
  };

  const lookUp = singleFlight(async (_, name: string, startedAt: number) => {
    const isKnown = remembered.get(name, startedAt) !== undefined;
    const value = await (isKnown ? lookUpAlone : lookUpTogether)(name);
    keep(name, value, startedAt);
    return value;
  });

  /** The value as it was last read; the request runs again if it has changed. */
  const assume = (name: string, value: Value, assumptions: Assumptions, startedAt: number) => {
    const assumed = JSON.stringify(value);
    assumptions.add({
      query: source.query([name]),
      confirm: (rows) => {
        const now = source.valuesOf(rows).get(name);
        keep(name, now, startedAt);
        if (JSON.stringify(now) !== assumed) throw new Outdated();
      },
    });
    return value;
  };

  return {
    async find(name, { allow, assumptions } = {}) {
      const now = clock.now();
      const cached = known.get(name, now);
      if (cached !== undefined) return cached;
      if (unknown.get(name, now) === true) return undefined;
      const last = remembered.get(name, now);
      if (last === undefined) await allow?.();
      else if (assumptions !== undefined) return assume(name, last, assumptions, now);
      // Shared only with queries started in the same second: the result of a slow one may be out of date.
      return await lookUp(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
