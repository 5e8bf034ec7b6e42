import { describe, expect, it, vi } from 'vitest';
import type { Log } from '../core/log.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { Lanes } from '../platform/lanes.ts';
import type { Queues } from '../platform/queues.ts';
import { wakeLanes } from './wake-lanes.ts';

const lane = { chainId: '43114', walletAddress: lowerCase(`0x${'1'.repeat(40)}`) } as const;
const other = { chainId: '43113', walletAddress: lowerCase(`0x${'1'.repeat(40)}`) } as const;
const nameOf = ({ chainId, walletAddress }: typeof lane | typeof other) => `${chainId}:${walletAddress}`;

/** Services whose lanes and queue answer as told, with what was called and logged. */
function servicesWith(answer: { readonly lane: () => Promise<void>; readonly queue: () => Promise<void> }) {
  const calls: unknown[] = [];
  const note = (call: unknown, reply: Promise<void>) => {
    calls.push(call);
    return reply;
  };
  const log = { warn: (event: string) => void calls.push(event), error: (event: string) => void calls.push(event) };
  const services = {
    lanes: { getByName: (name: string) => ({ wake: () => note(name, answer.lane()) }) } as unknown as Lanes,
    queues: {
      wakeLanes: (queue: string, lanes: unknown) => note([queue, lanes], answer.queue()),
    } as unknown as Queues,
    log: log as unknown as Log,
  };
  return { services, calls };
}

const answers = () => Promise.resolve();
const fails = () => Promise.reject(new Error('It does not answer'));

describe('the wake-up after an acceptance', () => {
  it('is one call of each lane, and no message', async () => {
    const { services, calls } = servicesWith({ lane: answers, queue: answers });
    wakeLanes(services, { queue: 'mint' }, [lane, lane, other, lane]);
    await vi.waitFor(() => expect(calls).toEqual([nameOf(lane), nameOf(other)]));
  });

  it("is a message on the kind's queue for a lane that does not answer", async () => {
    const { services, calls } = servicesWith({ lane: fails, queue: answers });
    wakeLanes(services, { queue: 'mint' }, [lane]);
    await vi.waitFor(() => expect(calls).toEqual([nameOf(lane), 'lane.not_woken', ['mint', [lane]]]));
  });

  it('is logged, and nothing else fails, if there is no message either', async () => {
    const { services, calls } = servicesWith({ lane: fails, queue: fails });
    wakeLanes(services, { queue: 'mint' }, [lane]);
    await vi.waitFor(() => expect(calls.at(-1)).toBe('lane.wake_not_sent'));
  });
});
