import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Boundary, Caller } from './boundary.ts';
import type { Isolate } from './isolate.ts';
import type { Random } from './random.ts';

/** How often a failed alarm handler is retried, with delays that double from two seconds. */
const ALARM_RETRIES = 6;
const ALARM_BACKOFF_MS = 2_000;

type Method = (...parameters: unknown[]) => unknown;

/** The durable state of an object, shared by all its instances. */
interface Stored {
  readonly key: string;
  readonly className: string;
  readonly name: string;
  readonly values: Map<string, unknown>;
  sql: DatabaseSync | undefined;
  /** Milliseconds since the epoch; null for none. */
  alarm: number | null;
  /** Failed attempts of the current alarm. */
  tries: number;
  /** The instance whose alarm handler is running. */
  alarmRunsIn: Instance | undefined;
  /** The instance that receives requests. */
  current: Instance | undefined;
}

/** An instance of an object in an isolate. A replaced instance may continue, but its storage is closed. */
interface Instance {
  readonly stored: Stored;
  readonly isolate: Isolate;
  readonly object: Record<string, Method>;
  readonly failures: Set<() => void>;
  /** The number of running requests and alarms. */
  busy: number;
  isCurrent: boolean;
}

/** An error that the platform throws to an object's callers. */
class ObjectError extends Error {
  readonly retryable = true;
  readonly overloaded = false;
}

/**
 * Durable Objects: storage and alarms are durable, memory belongs to an instance. At most one instance is current; a
 * replaced one continues for a while and may call others, but cannot write. An alarm is run until its handler succeeds,
 * at most seven times; an alarm set by the handler replaces it.
 */
export class DurableObjects {
  readonly #boundary: Boundary;
  readonly #random: Random;
  readonly #hostOf: () => Isolate;
  readonly #envOf: (isolate: Isolate, instance: number) => object;
  #instances = 0;
  readonly #stored = new Map<string, Stored>();
  /** Called with the isolate of every new instance. */
  onBegin: (isolate: Isolate) => void = () => {};

  /**
   * @param hostOf Chooses the isolate of a new instance.
   * @param envOf The environment of an instance, which is told its number.
   */
  constructor(
    boundary: Boundary,
    random: Random,
    hostOf: () => Isolate,
    envOf: (isolate: Isolate, instance: number) => object = ({ env }) => env,
  ) {
    this.#boundary = boundary;
    this.#random = random.fork('objects');
    this.#hostOf = hostOf;
    this.#envOf = envOf;
  }

  /** The binding of a class in an isolate's environment. */
  namespace(className: string, owner: Caller) {
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

  /** The names of all objects used so far. */
  names(): readonly string[] {
    return Array.from(this.#stored.values(), ({ name }) => name);
  }

  /** Loses a value of every object, and all that their instances remember. */
  forget(key: string): void {
    for (const stored of this.#stored.values()) stored.values.delete(key);
    this.replaceAll();
  }

  /** When an object's alarm is due; null if it has none. */
  alarmOf(className: string, name: string): number | null {
    return this.#stored.get(`${className}/${name}`)?.alarm ?? null;
  }

  /** Drops the memory of an object if it is idle. */
  evict(name: string): void {
    for (const stored of this.#stored.values()) {
      if (stored.name === name && stored.current?.busy === 0) {
        this.#boundary.trace.add(`${name} is evicted`);
        this.#replace(stored);
      }
    }
  }

  /**
   * Starts a new instance elsewhere; the old one may continue without its storage.
   * @param from Only moves the object if it is in this isolate.
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

  /** Replaces all instances for a new version of the code. */
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

  #currentOf(className: string, name: string): Instance {
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

  #begin(stored: Stored): Instance {
    const isolate = this.#hostOf();
    this.onBegin(isolate);
    const instance: { -readonly [Key in keyof Instance]: Instance[Key] } = {
      stored,
      isolate,
      object: {},
      failures: new Set<() => void>(),
      busy: 0,
      isCurrent: true,
    };
    const ObjectClass = isolate.objectClass(stored.className);
    this.#instances += 1;
    instance.object = new ObjectClass(this.#contextOf(instance), this.#envOf(isolate, this.#instances));
    isolate.whenDead(() => {
      if (stored.current === instance) this.#replace(stored);
      if (stored.alarmRunsIn === instance) this.#alarmBroken(stored);
    });
    return instance;
  }

  /** The object's side of a call: runs the method and sends the result back. */
  #call(owner: Caller, className: string, name: string, method: string, parameters: unknown[]): Promise<unknown> {
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
        const instance = this.#currentOf(className, name);
        const how = fate.ending;
        instance.failures.add(fail);
        const heard = (act: () => void) => () => {
          instance.failures.delete(fail);
          act();
        };
        const answer = (result: unknown) => {
          if (how === 'killed') owner.die();
          else if (how === 'answered') deliver(() => resolve(structuredClone(result)));
          else fail();
        };
        // Not awaited, because the method may wait for future events.
        void this.#run(instance, () => instance.object[method]?.(...parameters)).then(
          (result) => heard(() => answer(result))(),
          (error: unknown) => heard(() => deliver(() => reject(error)))(),
        );
      });
    });
  }

  /** Starts the work; its completion is only reported while the isolate is alive. */
  #run(instance: Instance, work: () => unknown): Promise<unknown> {
    instance.busy += 1;
    return new Promise((resolve, reject) => {
      void (async () => work())()
        .finally(() => {
          instance.busy -= 1;
        })
        .then(
          (result) => instance.isolate.isAlive && resolve(result),
          (error: unknown) => instance.isolate.isAlive && reject(error as Error),
        );
    });
  }

  #contextOf(instance: Instance): object {
    const { stored } = instance;
    return {
      id: { name: stored.name, toString: () => stored.name },
      storage: this.#storageOf(instance),
      waitUntil: () => {},
      abort: (reason: string): never => {
        this.#boundary.trace.add(`${stored.name} aborts: ${reason}`);
        if (instance.isCurrent) {
          this.#replace(stored);
          this.#alarmBroken(stored);
        }
        throw new ObjectError(reason);
      },
      blockConcurrencyWhile: async (work: () => Promise<unknown>) => work(),
    };
  }

  #storageOf(instance: Instance): object {
    const { stored } = instance;
    const { values } = stored;
    const { clockMs } = instance.isolate;
    const open = <Result>(act: () => Result): Result => {
      if (!instance.isCurrent) throw new ObjectError('This object was moved; its storage is closed.');
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
      // The platform and the isolate have the same clock.
      getAlarm: async () => open(() => (stored.alarm === null ? null : stored.alarm + clockMs)),
      setAlarm: (time: number | Date) => written(() => this.#setAlarm(stored, Number(time) - clockMs)),
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
      // One at a time; an alarm set in the meantime is scheduled when it ends.
      if (stored.alarm === time && stored.alarmRunsIn === undefined) this.#runAlarm(stored);
    });
  }

  #runAlarm(stored: Stored): void {
    const instance = this.#currentOf(stored.className, stored.name);
    const { tries } = stored;
    this.#boundary.trace.add(
      `${stored.name} alarm${tries > 0 ? `, try ${tries + 1}` : ''} in ${instance.isolate.name}`,
    );
    stored.alarm = null;
    stored.alarmRunsIn = instance;
    this.#run(instance, () => instance.object['alarm']?.({ retryCount: tries, isRetry: tries > 0 })).then(
      () => this.#alarmEnded(stored, instance),
      (error: unknown) => {
        this.#boundary.trace.add(`${stored.name} alarm throws ${String(error)}`);
        if (stored.alarmRunsIn === instance) this.#alarmBroken(stored);
      },
    );
  }

  #alarmEnded(stored: Stored, instance: Instance): void {
    if (stored.alarmRunsIn !== instance) return;
    stored.alarmRunsIn = undefined;
    stored.tries = 0;
    if (stored.alarm !== null) this.#planAlarm(stored, stored.alarm);
  }

  /** The handler failed: an alarm that it set counts; otherwise the handler is retried. */
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
