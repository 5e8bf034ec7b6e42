import { describe, expect, it } from 'vitest';
import { Boundary } from './boundary.ts';
import { Faults } from './faults.ts';
import { killableIsolate } from './killable-isolate.ts';
import { Queues } from './queues.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { Trace } from './trace.ts';

interface Delivered {
  readonly body: unknown;
  readonly attempts: number;
  readonly at: number;
  ack(): void;
  retry(options?: { delaySeconds?: number }): void;
}

/** A queue whose batches a test consumes. */
function queueWith(consume: (messages: readonly Delivered[], die: () => void) => Promise<void> | void) {
  const random = new Random('queues');
  const scheduler = new Scheduler(random, 0);
  const boundary = new Boundary(scheduler, new Faults(random, true), new Trace(() => scheduler.now()));
  const newConsumer = () => {
    const isolate = killableIsolate({
      entry: {
        queue: async ({ messages }: { messages: readonly Delivered[] }) => {
          const received = messages.map((message) => Object.assign(message, { at: scheduler.now() }));
          await consume(received, () => isolate.die());
        },
      },
    });
    return isolate;
  };
  const queues = new Queues(boundary, random, newConsumer);
  const producer = queues.producer('queue', newConsumer());
  const run = async () => {
    while (await scheduler.step());
  };
  return { producer, run, scheduler };
}

describe('a queue', () => {
  it('delivers every message, in batches of at most a hundred', async () => {
    const sizes: number[] = [];
    const bodies: unknown[] = [];
    const { producer, run } = queueWith((messages) => {
      sizes.push(messages.length);
      bodies.push(...messages.map(({ body }) => body));
    });
    for (let batch = 0; batch < 3; batch += 1) {
      void producer.sendBatch(Array.from({ length: 100 }, (_, index) => ({ body: batch * 100 + index })));
    }
    await run();
    expect(bodies.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 300 }, (_, index) => index));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
  });

  it('redelivers a retried message after its delay, with the number of attempts', async () => {
    const seen: Delivered[] = [];
    const { producer, run } = queueWith((messages) => {
      seen.push(...messages);
      for (const message of messages) if (message.attempts < 3) message.retry({ delaySeconds: 10 });
    });
    void producer.send({ id: 1 });
    await run();
    expect(seen.map(({ attempts }) => attempts)).toEqual([1, 2, 3]);
    expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(10_000);
  });

  it('redelivers the whole batch of a handler that throws, acknowledged or not', async () => {
    let tries = 0;
    const { producer, run } = queueWith((messages) => {
      tries += 1;
      for (const message of messages) message.ack();
      if (tries === 1) throw new Error('no');
    });
    void producer.send('a');
    await run();
    expect(tries).toBe(2);
  });

  it('delivers again what a consumer had when it died', async () => {
    let tries = 0;
    const { producer, run } = queueWith(async (messages, die) => {
      tries += 1;
      for (const message of messages) message.ack();
      if (tries > 1) return;
      die();
      await new Promise(() => {});
    });
    void producer.send('a');
    await run();
    expect(tries).toBe(2);
  });

  it('drops a message after its last retry', async () => {
    let tries = 0;
    const { producer, run } = queueWith((messages) => {
      tries += 1;
      for (const message of messages) message.retry();
    });
    void producer.send('a');
    await run();
    expect(tries).toBe(101);
  });
});
