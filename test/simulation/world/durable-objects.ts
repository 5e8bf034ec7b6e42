import { DatabaseSync } from 'node:sqlite';
import type { SQLInputValue } from 'node:sqlite';
import type { Boundary, Living } from './boundary.ts';
import type { Isolate } from './isolate.ts';
import type { Random } from './random.ts';

/** An alarm's handler that throws, or dies, is run again so often, with pauses that double from two seconds. */
const ALARM_RETRIES = 6;
const ALARM_BACKOFF_MS = 2_000;

type Method = (...parameters: unknown[]) => unknown;

/** What outlives every copy of an object. */
interface Stored {
  readonly key: string;
  readonly className: string;
  readonly name: string;
  readonly values: Map<string, unknown>;
  sql: DatabaseSync | undefined;
  /** Milliseconds since the epoch; null for none. */
  alarm: number | null;
  /** How often the alarm that is due was tried in vain. */
  tries: number;
  /** The copy whose alarm handler runs. */
  alarmRunsIn: Copy | undefined;
  /** The copy that the platform sends requests to. */
  current: Copy | undefined;
}

/** An object in the memory of an isolate. A copy that was replaced may run on, but its storage is closed. */
interface Copy {
  readonly stored: Stored;
  readonly isolate: Isolate;
  readonly object: Record<string, Method>;
  readonly failures: Set<() => void>;
  /** Requests and alarms that have not ended. */
  busy: number;
  isCurrent: boolean;
}

/** An error as the platform throws it to callers of an object. */
class ObjectError extends Error {
  readonly retryable = true;
  readonly overloaded = false;
}

/**
 * Durable Objects: storage and alarms outlive everything, memory lives as long as a copy. At most one copy is current;
 * one that was replaced goes on for a while, may call others, and cannot write. An alarm is durable: it is run until
 * its handler ends well, at most seven times; one that the handler sets counts instead.
 */
export class DurableObjects {
  readonly #boundary: Boundary;
  readonly #random: Random;
  readonly #hostOf: () => Isolate;
  readonly #stored = new Map<string, Stored>();

  /** @param hostOf The isolate that a new copy is put into. */
  constructor(boundary: Boundary, random: Random, hostOf: () => Isolate) {
    this.#boundary = boundary;
    this.#random = random.fork('objects');
    this.#hostOf = hostOf;
  }

  /** The binding of a class, as an isolate has it in its environment. */
  namespace(className: string, owner: Living) {
    const stubOf = (name: string) =>
      new Proxy(
        { name, id: idOf(name) },
        {
          get: (target, method) => {
            if (typeof method !== 'string' || method === 'then') return undefined;
            if (method in target) return Reflect.get(target, method) as unknown;
            return (...parameters: unknown[]) =>
              this.#call(owner, className, name, method, structuredClone(parameters));
          },
        },
      );
    return {
      idFromName: idOf,
      idFromString: idOf,
      get: (id: { readonly name: string }) => stubOf(id.name),
      getByName: (name: string) => stubOf(name),
    };
  }

  /** The names of the objects that were ever used. */
  names(): readonly string[] {
    return Array.from(this.#stored.values(), ({ name }) => name);
  }

  /** When the alarm of an object is due; null where it has none. */
  alarmOf(className: string, name: string): number | null {
    return this.#stored.get(`${className}/${name}`)?.alarm ?? null;
  }

  /** Drops the memory of an idle object; one at work stays. */
  evict(name: string): void {
    for (const stored of this.#stored.values()) {
      if (stored.name === name && stored.current?.busy === 0) {
        this.#boundary.trace.add(`${name} is evicted`);
        this.#replace(stored);
      }
    }
  }

  /**
   * Begins a new copy elsewhere while the old one, which may be at work, goes on without its storage.
   * @param from Only where it is in this isolate.
   */
  move(name: string, from?: Isolate): void {
    for (const stored of this.#stored.values()) {
      if (stored.name !== name || stored.current === undefined) continue;
      if (from !== undefined && stored.current.isolate !== from) continue;
      this.#boundary.trace.add(`${name} is moved`);
      this.#replace(stored);
      this.#alarmBroken(stored);
    }
  }

  /** Ends all copies for a new version of the code. */
  replaceAll(): void {
    for (const stored of this.#stored.values()) {
      this.#replace(stored);
      this.#alarmBroken(stored);
    }
  }

  #replace(stored: Stored): void {
    const { current } = stored;
    if (current === undefined) return;
    current.isCurrent = false;
    stored.current = undefined;
    for (const fail of current.failures) fail();
  }

  #currentOf(className: string, name: string): Copy {
    const key = `${className}/${name}`;
    const stored: Stored = this.#stored.get(key) ?? {
      key,
      className,
      name,
      values: new Map(),
      sql: undefined,
      alarm: null,
      tries: 0,
      alarmRunsIn: undefined,
      current: undefined,
    };
    this.#stored.set(key, stored);
    stored.current ??= this.#begin(stored);
    return stored.current;
  }

  #begin(stored: Stored): Copy {
    const isolate = this.#hostOf();
    const copy: { -readonly [Key in keyof Copy]: Copy[Key] } = {
      stored,
      isolate,
      object: {},
      failures: new Set<() => void>(),
      busy: 0,
      isCurrent: true,
    };
    const ObjectClass = isolate.objectClass(stored.className);
    copy.object = new ObjectClass(this.#contextOf(copy), isolate.env);
    isolate.whenDead(() => {
      if (stored.current === copy) this.#replace(stored);
      if (stored.alarmRunsIn === copy) this.#alarmBroken(stored);
    });
    return copy;
  }

  /** The object's side of a call: the method runs as long as it takes, and its end travels back. */
  #call(owner: Living, className: string, name: string, method: string, parameters: unknown[]): Promise<unknown> {
    const { scheduler, faults, trace } = this.#boundary;
    const fate = faults.fate('object', scheduler.now());
    return new Promise((resolve, reject) => {
      let isOver = false;
      const deliver = (act: () => void) => {
        scheduler.after(fate.back, () => {
          if (isOver || !owner.isAlive) return;
          isOver = true;
          act();
        });
      };
      const fail = () => deliver(() => reject(new ObjectError('Network connection lost.')));
      scheduler.after(fate.there, () => {
        trace.add(`${owner.name} calls ${name}.${method}${fate.ending === 'answered' ? '' : ` [${fate.ending}]`}`);
        if (!fate.hasEffect) return fate.ending === 'killed' ? owner.die() : fail();
        const copy = this.#currentOf(className, name);
        const how = fate.ending;
        copy.failures.add(fail);
        const heard = (act: () => void) => () => {
          copy.failures.delete(fail);
          act();
        };
        const answer = (result: unknown) => {
          if (how === 'killed') owner.die();
          else if (how === 'answered') deliver(() => resolve(structuredClone(result)));
          else fail();
        };
        // Not awaited: what the method waits for has yet to happen.
        void this.#run(copy, () => copy.object[method]?.(...parameters)).then(
          (result) => heard(() => answer(result))(),
          (error: unknown) => heard(() => deliver(() => reject(error)))(),
        );
      });
    });
  }

  /** Begins the work; its end is heard of only while the isolate lives. */
  #run(copy: Copy, work: () => unknown): Promise<unknown> {
    copy.busy += 1;
    return new Promise((resolve, reject) => {
      void (async () => work())()
        .finally(() => {
          copy.busy -= 1;
        })
        .then(
          (result) => copy.isolate.isAlive && resolve(result),
          (error: unknown) => copy.isolate.isAlive && reject(error as Error),
        );
    });
  }

  #contextOf(copy: Copy): object {
    const { stored } = copy;
    return {
      id: { name: stored.name, toString: () => stored.name },
      storage: this.#storageOf(copy),
      waitUntil: () => {},
      blockConcurrencyWhile: async (work: () => Promise<unknown>) => work(),
    };
  }

  #storageOf(copy: Copy): object {
    const { stored } = copy;
    const { values } = stored;
    const open = <Result>(act: () => Result): Result => {
      if (!copy.isCurrent) throw new ObjectError('This object was moved; its storage is closed.');
      return act();
    };
    const written = async (act: () => void) => {
      open(act);
      await this.#boundary.scheduler.sleep(this.#random.span(0.2, 5));
      open(() => {});
    };
    return {
      get: async (key: string) => open(() => structuredClone(values.get(key))),
      put: (key: string, value: unknown) => written(() => void values.set(key, structuredClone(value))),
      delete: (key: string) => written(() => void values.delete(key)),
      deleteAll: () => written(() => values.clear()),
      kv: {
        get: (key: string) => open(() => structuredClone(values.get(key))),
        put: (key: string, value: unknown) => open(() => void values.set(key, structuredClone(value))),
        delete: (key: string) => open(() => values.delete(key)),
      },
      getAlarm: async () => open(() => stored.alarm),
      setAlarm: (time: number | Date) => written(() => this.#setAlarm(stored, Number(time))),
      deleteAlarm: () => written(() => this.#setAlarm(stored, null)),
      transactionSync: <Result>(work: () => Result) => open(() => inTransaction(sqlOf(stored), work)),
      sql: {
        exec: (query: string, ...bindings: SQLInputValue[]) => open(() => execute(sqlOf(stored), query, bindings)),
      },
    };
  }

  #setAlarm(stored: Stored, time: number | null): void {
    stored.alarm = time;
    stored.tries = 0;
    if (time !== null) this.#planAlarm(stored, time);
  }

  #planAlarm(stored: Stored, time: number): void {
    const { scheduler, faults } = this.#boundary;
    const late = faults.happens('alarm-late') ? this.#random.span(100, 60_000) : this.#random.span(0.1, 10);
    scheduler.at(time + late, () => {
      // One at a time; when it ends, what was set meanwhile is planned again.
      if (stored.alarm === time && stored.alarmRunsIn === undefined) this.#runAlarm(stored);
    });
  }

  #runAlarm(stored: Stored): void {
    const copy = this.#currentOf(stored.className, stored.name);
    const { tries } = stored;
    this.#boundary.trace.add(`${stored.name} alarm${tries > 0 ? `, try ${tries + 1}` : ''} in ${copy.isolate.name}`);
    stored.alarm = null;
    stored.alarmRunsIn = copy;
    this.#run(copy, () => copy.object['alarm']?.({ retryCount: tries, isRetry: tries > 0 })).then(
      () => this.#alarmEnded(stored, copy),
      (error: unknown) => {
        this.#boundary.trace.add(`${stored.name} alarm throws ${String(error)}`);
        if (stored.alarmRunsIn === copy) this.#alarmBroken(stored);
      },
    );
  }

  #alarmEnded(stored: Stored, copy: Copy): void {
    if (stored.alarmRunsIn !== copy) return;
    stored.alarmRunsIn = undefined;
    stored.tries = 0;
    if (stored.alarm !== null) this.#planAlarm(stored, stored.alarm);
  }

  /** The handler did not end well: what it set counts; else it is run again. */
  #alarmBroken(stored: Stored): void {
    if (stored.alarmRunsIn === undefined) return;
    const { scheduler, trace } = this.#boundary;
    stored.alarmRunsIn = undefined;
    if (stored.alarm !== null) return this.#planAlarm(stored, stored.alarm);
    if (stored.tries >= ALARM_RETRIES) {
      stored.tries = 0;
      return trace.add(`${stored.name} alarm is given up`);
    }
    stored.tries += 1;
    stored.alarm = scheduler.now() + ALARM_BACKOFF_MS * 2 ** (stored.tries - 1);
    return this.#planAlarm(stored, stored.alarm);
  }
}

function idOf(name: string) {
  return { name, toString: () => name, equals: (other: { readonly name: string }) => other.name === name };
}

function sqlOf(stored: Stored): DatabaseSync {
  stored.sql ??= new DatabaseSync(':memory:');
  return stored.sql;
}

function inTransaction<Result>(sql: DatabaseSync, work: () => Result): Result {
  sql.exec('begin');
  try {
    const result = work();
    sql.exec('commit');
    return result;
  } catch (error) {
    sql.exec('rollback');
    throw error;
  }
}

function execute(sql: DatabaseSync, query: string, bindings: SQLInputValue[]) {
  const rows = sql.prepare(query).all(...bindings);
  return { toArray: () => rows, one: () => rows[0], [Symbol.iterator]: () => rows[Symbol.iterator]() };
}
