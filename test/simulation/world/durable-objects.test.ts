import { describe, expect, it } from 'vitest';
import { Boundary } from './boundary.ts';
import { DurableObjects } from './durable-objects.ts';
import { Faults } from './faults.ts';
import { killableIsolate } from './killable-isolate.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { Trace } from './trace.ts';

interface Storage {
  setAlarm(time: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  getAlarm(): Promise<number | null>;
  put(key: string, value: unknown): Promise<void>;
  get(key: string): Promise<unknown>;
}

type Method = (...parameters: unknown[]) => unknown;
type Methods = (storage: Storage, instance: number) => Record<string, Method>;

/** Objects of one class, whose methods a test supplies. */
function objectsOf(methods: Methods) {
  const random = new Random('objects');
  const scheduler = new Scheduler(random, 0);
  const boundary = new Boundary(scheduler, new Faults(random, true), new Trace(() => scheduler.now()));
  let instances = 0;
  function Lane(this: object, { storage }: { storage: Storage }): void {
    instances += 1;
    Object.assign(this, methods(storage, instances));
  }
  const newHost = () => killableIsolate({ objectClass: () => Lane });
  let host = newHost();
  const objects = new DurableObjects(boundary, random, () => {
    if (!host.isAlive) host = newHost();
    return host;
  });
  const stub = objects.namespace('Lane', newHost()).getByName('a') as unknown as Record<
    string,
    (...parameters: unknown[]) => Promise<unknown>
  >;
  const run = async () => {
    while (await scheduler.step());
  };
  return { objects, stub, run, scheduler, killHost: () => host.die() };
}

describe('a Durable Object', () => {
  it('keeps its storage but not its memory when it is evicted', async () => {
    const { objects, stub, run } = objectsOf((storage, instance) => ({
      write: () => storage.put('key', instance),
      read: async () => [await storage.get('key'), instance],
    }));
    void stub['write']!();
    await run();
    objects.evict('a');
    const read = stub['read']!();
    await run();
    expect(await read).toEqual([1, 2]);
  });

  it('is not evicted while it is active', async () => {
    const { objects, stub, run, scheduler } = objectsOf((_, instance) => ({
      slow: async () => {
        await scheduler.sleep(1_000);
        return instance;
      },
    }));
    const slow = stub['slow']!();
    scheduler.after(500, () => objects.evict('a'));
    await run();
    expect(await slow).toBe(1);
  });

  it('runs a successful alarm once, on time', async () => {
    const times: number[] = [];
    const { stub, run, scheduler } = objectsOf((storage) => ({
      wake: () => storage.setAlarm(5_000),
      alarm: () => void times.push(scheduler.now()),
    }));
    void stub['wake']!();
    await run();
    expect(times).toHaveLength(1);
    expect(times[0]).toBeGreaterThanOrEqual(5_000);
  });

  it('retries an alarm that throws six times, with backoff', async () => {
    const times: number[] = [];
    const { stub, run, scheduler } = objectsOf((storage) => ({
      wake: () => storage.setAlarm(1),
      alarm: () => {
        times.push(scheduler.now());
        throw new Error('no');
      },
    }));
    void stub['wake']!();
    await run();
    expect(times).toHaveLength(7);
    expect(times[6]! - times[5]!).toBeGreaterThanOrEqual(64_000);
  });

  it('retries an alarm whose handler was killed, and runs the alarm that the handler had set', async () => {
    const times: number[] = [];
    let isFirst = true;
    const { stub, run, scheduler, killHost } = objectsOf((storage) => ({
      wake: () => storage.setAlarm(1),
      alarm: async () => {
        times.push(scheduler.now());
        if (!isFirst) return;
        isFirst = false;
        await storage.setAlarm(scheduler.now() + 30_000);
        await scheduler.sleep(10_000);
      },
    }));
    void stub['wake']!();
    scheduler.after(1_000, killHost);
    await run();
    expect(times).toHaveLength(2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(30_000);
  });

  it('closes the storage of a replaced instance while that instance continues', async () => {
    const wrote: string[] = [];
    const { objects, stub, run, scheduler } = objectsOf((storage, instance) => ({
      write: async () => {
        await scheduler.sleep(1_000);
        await storage.put('key', instance).then(
          () => wrote.push(`${instance}`),
          () => wrote.push(`${instance} refused`),
        );
      },
    }));
    const first = stub['write']!().catch(() => 'lost');
    scheduler.after(500, () => {
      objects.move('a');
      void stub['write']!();
    });
    await run();
    expect(await first).toBe('lost');
    expect(wrote).toEqual(['1 refused', '2']);
  });
});
