import { NeonDbError } from '@neondatabase/serverless';
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunEnd } from './lane-run.ts';
import { sleep, type Signal } from './signal.ts';

/** The names of the objects of a test. */
const names = new Set<string>();

/** A lane object whose runs are supplied by the test. */
function lane(drive: (wakes: Signal, alarmAt: () => Promise<number | null>) => Promise<RunEnd>) {
  const name = `43114:0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
  names.add(name);
  // A stub does not outlive the instance that it called.
  const stub = () => env.LANES.getByName(name);
  let runs = 0;
  const ready = runInDurableObject(stub(), (instance, state) => {
    const driven = instance as unknown as { drive(wakes: Signal): Promise<RunEnd> };
    driven.drive = (wakes) => {
      runs += 1;
      return drive(wakes, () => state.storage.getAlarm());
    };
  });
  return {
    wake: async () => {
      await ready;
      await stub().wake();
    },
    runs: () => runs,
    /** Whether another instance has taken its place, which has none of the test's runs. */
    isReplaced: () => runInDurableObject(stub(), (instance) => !Object.hasOwn(instance, 'drive')),
    alarmAt: () => runInDurableObject(stub(), (_, state) => state.storage.getAlarm()),
  };
}

afterEach(async () => {
  vi.restoreAllMocks();
  // An instance that takes the place of another runs for real, during whichever test comes next.
  for (const name of names) {
    await runInDurableObject(env.LANES.getByName(name), (_, state) => state.storage.deleteAlarm());
  }
  names.clear();
});

/** The errors that are logged from now on, by event and message. */
function loggedErrors(): string[] {
  const errors: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => {
    const { event, error } = JSON.parse(line) as { event: string; error: { message: string } };
    errors.push(`${event}: ${error.message}`);
  });
  return errors;
}

const idle = (wakes: Signal): RunEnd => ({ nextAt: null, seenWakes: wakes.count });

describe('the lane object', () => {
  it('runs once it is woken, and has no alarm when nothing is left to do', async () => {
    const object = lane((wakes) => Promise.resolve(idle(wakes)));
    await object.wake();
    await expect.poll(() => object.runs()).toBe(1);
    await expect.poll(() => object.alarmAt()).toBeNull();
    expect(object.runs()).toBe(1);
  });

  it('does not lose a wake-up that arrives during a run', async () => {
    const gate = { isOpen: false };
    const object = lane(async (wakes) => {
      const { count: seenWakes } = wakes;
      while (!gate.isOpen) await sleep(5);
      return { nextAt: null, seenWakes };
    });
    await object.wake();
    await expect.poll(() => object.runs()).toBe(1);
    await object.wake();
    gate.isOpen = true;
    await expect.poll(() => object.runs()).toBeGreaterThanOrEqual(2);
    await expect.poll(() => object.alarmAt()).toBeNull();
  });

  it('has an alarm set during a run, so that being killed does not stop the lane', async () => {
    const seen = Promise.withResolvers<number | null>();
    const object = lane(async (wakes, alarmAt) => {
      seen.resolve(await alarmAt());
      return idle(wakes);
    });
    const before = Date.now();
    await object.wake();
    expect(await seen.promise).toBeGreaterThanOrEqual(before + 30_000);
  });

  it('runs again at the time that its run returned', async () => {
    const nextAt = Date.now() + 3_600_000;
    const object = lane((wakes) => Promise.resolve({ nextAt, seenWakes: wakes.count }));
    await object.wake();
    await expect.poll(() => object.runs()).toBe(1);
    await expect.poll(() => object.alarmAt()).toBe(nextAt);
  });

  it('ends once its driver was fenced off, and the next instance is woken', async () => {
    const fencedOff = Object.assign(new NeonDbError('aborted'), { code: 'NF001', constraint: 'fenced_off' });
    const errors = loggedErrors();
    const object = lane(() => Promise.reject(fencedOff));
    await object.wake();
    await expect.poll(() => object.isReplaced()).toBe(true);
    expect(object.runs()).toBe(1);
    expect(await object.alarmAt()).not.toBeNull();
    expect(errors).toEqual(['lane.failed: aborted']);
  });

  it('runs again some seconds after a failed run', async () => {
    const errors = loggedErrors();
    const object = lane(() => Promise.reject(new Error('The database does not answer')));
    await object.wake();
    await expect.poll(() => object.runs()).toBe(1);
    await vi.waitFor(async () => {
      const at = (await object.alarmAt()) ?? 0;
      expect(at).toBeGreaterThan(Date.now() + 1_000);
      expect(at).toBeLessThan(Date.now() + 10_000);
    }, 60_000);
    expect(errors).toEqual(['lane.failed: The database does not answer']);
  });

  it('drives nothing any more once lanes are created in another region', async () => {
    const moved = env.LANES.getByName(`43114:0x${'2'.repeat(40)}:weur`);
    await moved.wake();
    await expect.poll(() => runInDurableObject(moved, (_, state) => state.storage.getAlarm())).toBeNull();
  });
});
