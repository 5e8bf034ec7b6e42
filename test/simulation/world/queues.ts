import type { Boundary } from './boundary.ts';
import type { Isolate } from './isolate.ts';
import type { Random } from './random.ts';

/** The setting of every queue in wrangler.toml. */
const BATCH = 100;
const MAX_RETRIES = 100;
/** After this time a consumer counts as dead. */
const CONSUMER_MS = 900_000;
/** The delay before the batch of a dead consumer is redelivered. */
const REDELIVERY_MS = 5_000;
const MAX_DELAY_SECONDS = 86_400;

interface Message {
  readonly id: string;
  readonly body: unknown;
  readonly timestamp: Date;
  attempts: number;
}

interface QueueOptions {
  readonly delaySeconds?: number;
}

/**
 * The platform's queues: at-least-once delivery, in any order. A message is kept until its consumer has succeeded
 * without retrying it. Explicit acknowledgements only count when the batch ends; if the handler throws, the whole batch
 * is redelivered.
 */
export class Queues {
  readonly #boundary: Boundary;
  readonly #random: Random;
  readonly #consumerOf: () => Isolate;
  readonly #waiting = new Map<string, Message[]>();
  readonly #planned = new Set<string>();
  #count = 0;

  /** @param consumerOf Chooses the isolate for the next batch. */
  constructor(boundary: Boundary, random: Random, consumerOf: () => Isolate) {
    this.#boundary = boundary;
    this.#random = random.fork('queues');
    this.#consumerOf = consumerOf;
  }

  /** The producer binding of a queue in an isolate's environment. */
  producer(queue: string, owner: Isolate) {
    const cross = (bodies: readonly (QueueOptions & { readonly body: unknown })[]) => {
      if (bodies.length > BATCH) throw new Error(`A batch has at most ${BATCH} messages`);
      const copies = bodies.map(({ body, delaySeconds = 0 }) => ({ body: structuredClone(body), delaySeconds }));
      return this.#boundary.cross({
        from: owner,
        service: 'queue',
        label: `${queue} takes ${JSON.stringify(copies.map(({ body }) => body))}`,
        effect: () => {
          for (const { body, delaySeconds } of copies) this.#accept(queue, body, delaySeconds);
        },
        broken: () => new Error('Queue send failed'),
      });
    };
    return {
      send: async (body: unknown, options: QueueOptions = {}) => cross([{ body, ...options }]),
      sendBatch: async (messages: Iterable<QueueOptions & { readonly body: unknown }>) => cross([...messages]),
      metrics: async () => ({ backlogCount: this.#waiting.get(queue)?.length ?? 0, backlogBytes: 0 }),
    };
  }

  #accept(queue: string, body: unknown, delaySeconds: number): void {
    const { faults } = this.#boundary;
    if (faults.happens('message-lost')) return this.#boundary.trace.add(`${queue} loses a message`);
    const copies = faults.happens('message-twice') ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.#count += 1;
      const timestamp = new Date(this.#boundary.scheduler.now());
      this.#makeVisible(queue, { id: `message-${this.#count}`, body, timestamp, attempts: 0 }, delaySeconds * 1_000);
    }
    return undefined;
  }

  #makeVisible(queue: string, message: Message, delayMs: number): void {
    const { scheduler, faults } = this.#boundary;
    const late = faults.happens('message-late') ? this.#random.span(1_000, 600_000) : 0;
    scheduler.after(Math.min(delayMs, MAX_DELAY_SECONDS * 1_000) + late + this.#random.span(1, 50), () => {
      this.#waiting.set(queue, [...(this.#waiting.get(queue) ?? []), message]);
      this.#plan(queue);
    });
  }

  #plan(queue: string): void {
    if (this.#planned.has(queue)) return;
    this.#planned.add(queue);
    this.#boundary.scheduler.after(this.#random.span(1, 20), () => {
      this.#planned.delete(queue);
      const shuffled = this.#random.shuffled(this.#waiting.get(queue) ?? []);
      const size = this.#random.whole(1, BATCH);
      this.#waiting.set(queue, shuffled.slice(size));
      if (shuffled.length > size) this.#plan(queue);
      if (shuffled.length > 0) this.#deliver(queue, shuffled.slice(0, size));
    });
  }

  /** Delivers a batch to a consumer and applies its acknowledgements and retries. */
  #deliver(queue: string, messages: readonly Message[]): void {
    const { scheduler, trace } = this.#boundary;
    const isolate = this.#consumerOf();
    const dispositions = new Map<Message, number | 'ack'>();
    let isOver = false;
    const again = (message: Message, delayMs: number) => {
      if (message.attempts > MAX_RETRIES) trace.add(`${queue} deletes a message after ${MAX_RETRIES} retries`);
      else this.#makeVisible(queue, message, delayMs);
    };
    const end = (how: 'well' | 'thrown' | 'dead') => {
      if (isOver) return;
      isOver = true;
      for (const message of messages) {
        const disposition = how === 'well' ? (dispositions.get(message) ?? 'ack') : REDELIVERY_MS;
        if (disposition !== 'ack') again(message, disposition);
      }
    };
    for (const message of messages) message.attempts += 1;
    trace.add(`${queue} delivers ${messages.length} to ${isolate.name}`);
    const batch = batchOf(queue, messages, dispositions);
    void isolate.entry
      .queue(batch, isolate.env, { waitUntil: () => {} })
      .then(() => isolate.isAlive && end('well'))
      .catch(() => isolate.isAlive && end('thrown'));
    isolate.whenDead(() => scheduler.after(this.#random.span(100, 30_000), () => end('dead')));
    scheduler.after(CONSUMER_MS, () => end('dead'));
  }
}

function pauseOf({ delaySeconds = 0 }: QueueOptions = {}): number {
  return delaySeconds * 1_000;
}

function batchOf(queue: string, messages: readonly Message[], dispositions: Map<Message, number | 'ack'>): object {
  // The first call counts, as on the platform.
  const say = (message: Message, disposition: number | 'ack') => {
    if (!dispositions.has(message)) dispositions.set(message, disposition);
  };
  return {
    queue,
    messages: messages.map((message) => ({
      id: message.id,
      timestamp: message.timestamp,
      body: structuredClone(message.body),
      attempts: message.attempts,
      ack: () => say(message, 'ack'),
      retry: (options?: QueueOptions) => say(message, pauseOf(options)),
    })),
    ackAll: () => messages.forEach((message) => say(message, 'ack')),
    retryAll: (options?: QueueOptions) => messages.forEach((message) => say(message, pauseOf(options))),
  };
}
