import { deploy } from './orders/deploy/deploy.ts';
import { transferOwnership } from './orders/ownership/transfer-ownership.ts';
import { relayMint } from './orders/mint/relay-mint.ts';
import { transfer } from './orders/transfer/transfer.ts';
import { laneName } from './engine/wallet-lane.ts';
import { queueMessage } from './platform/queues/messages.ts';
import type { IdMessage } from './platform/queues/messages.ts';
import type { Services } from './services.ts';
import { advance } from './transactions/engine.ts';
import { fill } from './transactions/fill.store.ts';
import type { Verdict } from './transactions/job.ts';
import { deliver } from './webhooks/deliver.ts';

type Handler = (services: Services, ids: readonly string[]) => Promise<ReadonlyMap<string, Verdict>>;

/** Which message goes to which operation. */
const HANDLERS: Readonly<Record<IdMessage['kind'], Handler>> = {
  deploy: (services, ids) => advance(services, deploy, ids),
  'relay-mint': (services, ids) => advance(services, relayMint, ids),
  transfer: (services, ids) => advance(services, transfer, ids),
  'transfer-ownership': (services, ids) => advance(services, transferOwnership, ids),
  fill: (services, ids) => advance(services, fill, ids),
  webhook: deliver,
};

/** Seconds after which a message whose handler failed comes again: longer each time, up to a minute. */
function pauseAfter(attempts: number): number {
  return Math.min(60, 2 ** Math.min(attempts, 6));
}

/**
 * Carries out a batch of wake-up calls; the only place that acks or retries. It never throws: a handler that does would
 * have the whole batch delivered again, what is done included.
 */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const parsed = batch.messages.flatMap((message) => {
    const { data, error } = queueMessage.safeParse(message.body);
    if (data !== undefined) return [{ message, data }];
    services.log.error('queue.malformed_message', { queue: batch.queue, messageId: message.id, error });
    message.ack();
    return [];
  });
  const wakeUps = parsed.flatMap(({ message, data }) => (data.kind === 'lane' ? [{ message, lane: data }] : []));
  const byLane = Map.groupBy(wakeUps, ({ lane }) => laneName(lane));
  const byKind = Map.groupBy(
    parsed.flatMap(({ message, data }) => (data.kind === 'lane' ? [] : [{ message, ...data }])),
    ({ kind }) => kind,
  );
  await Promise.all([
    ...Array.from(byLane, async ([name, entries]) => {
      const woken = await wake(services, name);
      for (const { message } of entries) {
        if (woken) message.ack();
        else message.retry({ delaySeconds: pauseAfter(message.attempts) });
      }
    }),
    ...Array.from(byKind, async ([kind, entries]) => {
      const verdicts = await handle(services, kind, [...new Set(entries.map(({ id }) => id))]);
      for (const { message, id } of entries) {
        const verdict = verdicts?.get(id);
        if (verdict === undefined) message.retry({ delaySeconds: pauseAfter(message.attempts) });
        else if (verdict.done) message.ack();
        else message.retry({ delaySeconds: verdict.retryAfterSeconds });
      }
    }),
  ]);
}

async function wake(services: Services, name: string): Promise<boolean> {
  try {
    await services.lanes.getByName(name).wake();
    return true;
  } catch (error) {
    services.log.error('queue.lane_not_woken', { lane: name, error });
    return false;
  }
}

/** @returns undefined when the handler failed: everything of it comes again. */
async function handle(services: Services, kind: IdMessage['kind'], ids: readonly string[]) {
  try {
    return await HANDLERS[kind](services, ids);
  } catch (error) {
    services.log.error('queue.handler_failed', { kind, count: ids.length, error });
    return undefined;
  }
}
