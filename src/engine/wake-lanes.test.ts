import { describe, expect, it } from 'vitest';
import type { Log } from '../core/log.ts';
import type { Queues } from '../platform/queues.ts';
import { wakeLanes } from './wake-lanes.ts';

const lane = { chainId: '43114', walletAddress: `0x${'1'.repeat(40)}` } as const;
const other = { chainId: '43113', walletAddress: `0x${'1'.repeat(40)}` } as const;

/** Services whose queue calls `wake`, and their logged events. */
function servicesWith(wake: Queues['wakeLanes']) {
  const logged: string[] = [];
  const log = { error: (event: string) => void logged.push(event) } as unknown as Log;
  const queues = { wakeLanes: wake } as unknown as Queues;
  return { services: { queues, log }, logged };
}

describe('the wake-up after an acceptance', () => {
  it("is one message per lane, on the kind's queue", async () => {
    const sent: unknown[] = [];
    const { services } = servicesWith((queue, lanes) => Promise.resolve(void sent.push([queue, lanes])));
    await wakeLanes(services, { queue: 'mint' }, [lane, lane, other, lane]);
    expect(sent).toEqual([['mint', [lane, other]]]);
  });

  it('is logged and leaves the order accepted if it cannot be sent', async () => {
    const { services, logged } = servicesWith(() => Promise.reject(new Error('The queue is full')));
    await expect(wakeLanes(services, { queue: 'mint' }, [lane])).resolves.toBeUndefined();
    expect(logged).toEqual(['lanes.wake_not_sent']);
  });
});
