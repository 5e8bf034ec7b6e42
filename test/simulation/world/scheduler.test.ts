import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';

async function runAll(scheduler: Scheduler): Promise<void> {
  while (await scheduler.step());
}

async function orderOf(seed: string): Promise<string> {
  const scheduler = new Scheduler(new Random(seed), 0);
  const ran: number[] = [];
  for (let name = 0; name < 10; name += 1) scheduler.at(5, () => void ran.push(name));
  await runAll(scheduler);
  return ran.join(' ');
}

describe('Scheduler', () => {
  it('runs events in order of time, whatever the order of scheduling', async () => {
    const random = new Random('plans');
    const scheduler = new Scheduler(random.fork('ranks'), 0);
    const ran: number[] = [];
    for (let count = 0; count < 300; count += 1) {
      const at = random.whole(0, 1_000);
      scheduler.at(at, () => {
        expect(scheduler.now()).toBe(at);
        ran.push(at);
      });
    }
    await runAll(scheduler);
    expect(ran).toHaveLength(300);
    expect(ran).toEqual(ran.toSorted((a, b) => a - b));
  });

  it('orders simultaneous events by the seed', async () => {
    expect(await orderOf('a')).toBe(await orderOf('a'));
    expect(new Set(await Promise.all(['a', 'b', 'c', 'd'].map(orderOf))).size).toBeGreaterThan(1);
  });

  it('runs code to its next wait before the next event', async () => {
    const scheduler = new Scheduler(new Random('turns'), 0);
    const ran: string[] = [];
    const work = async (name: string) => {
      await scheduler.sleep(10);
      for (let step = 0; step < 20; step += 1) {
        ran.push(name);
        await Promise.resolve();
      }
    };
    void work('a');
    void work('b');
    await runAll(scheduler);
    expect(ran.join('')).toMatch(/^(a{20}b{20}|b{20}a{20})$/);
  });

  it('does not run cancelled events, and never goes back in time', async () => {
    const scheduler = new Scheduler(new Random('cancel'), 100);
    const ran: number[] = [];
    const cancel = scheduler.after(5, () => void ran.push(-1));
    scheduler.at(50, () => {
      ran.push(scheduler.now());
      cancel();
    });
    await runAll(scheduler);
    expect(ran).toEqual([100]);
  });
});
