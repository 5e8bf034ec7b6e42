import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import examples from '../../src/http/examples.json' with { type: 'json' };
import type { MintingOrder, Order, WebhookEvent } from '../../clients/typescript/src/index.ts';
import { clientOf, ended, json, refusal } from './service.ts';

const KINDS = [
  'getMintingOrder',
  'getTransferOrder',
  'getBurnOrder',
  'getCertificateRevocation',
  'getOwnershipTransfer',
  'getChainNotification',
  'getBaseUriChange',
  'getContract',
] as const;
const exampleOf = (kind: (typeof KINDS)[number]) => examples.operations[kind].replies['200'] as Order;
const example = exampleOf('getMintingOrder') as MintingOrder;
const pending: MintingOrder = { ...example, status: 'PENDING', txHash: null };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  // First: it puts back the timers that a test has spied on, which are not the real ones.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type Confirmed = Extract<WebhookEvent, { type: `${string}.confirmed` }>['data'];

describe('waitFor', () => {
  it('takes whatever can be confirmed', () => {
    expectTypeOf<Confirmed>().toExtend<Order>();
  });

  it.each(KINDS)('reads an order of each kind as %s does, until it is done', async (kind) => {
    const done = exampleOf(kind);
    const waiting = { ...done, status: 'PROCESSING' } as Order;
    const { nft, received } = clientOf([json(waiting), json(done)]);
    expect(await ended(nft.waitFor(waiting))).toEqual(done);
    const id = 'jobId' in done ? done.jobId : '_id' in done ? done._id : done.id;
    await (nft[kind] as (input: { id: string }) => Promise<unknown>)({ id });
    const urls = received.map(({ url }) => url.href);
    expect(urls).toEqual([urls[2], urls[2], urls[2]]);
  });

  it.each(['FAILED', 'CANCELLED'] as const)('throws an order that is %s', async (status) => {
    const { nft } = clientOf([json({ ...pending, status, errorMessage: 'Reverted' })]);
    expect(await ended(nft.waitFor(pending))).toMatchObject({
      name: 'OrderFailedError',
      message: `The minting order ${pending.id} is ${status}: Reverted`,
      order: { id: pending.id, status },
    });
  });

  it('throws an order that has not ended in time as it was read last', async () => {
    vi.useRealTimers();
    const hold = { reason: 'FUNDS', detail: 'The wallet cannot pay', since: '' };
    const { nft } = clientOf([json({ ...pending, hold })]);
    await expect(
      nft.waitFor({ ...pending, hold: { ...hold, reason: 'FUNDS' } }, { timeoutMs: 1 }),
    ).rejects.toMatchObject({
      name: 'WaitTimeoutError',
      message: `The minting order ${pending.id} is still PENDING: The wallet cannot pay`,
      order: { id: pending.id, hold },
    });
  });

  it('ends when its caller aborts it, and throws what cannot be read', async () => {
    const { nft, received } = clientOf([refusal(404, 'not_found')]);
    await expect(nft.waitFor(pending, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(received).toEqual([]);
    expect(await ended(nft.waitFor(pending))).toMatchObject({ code: 'not_found' });
  });

  it('reads less and less often', async () => {
    const waits = vi.spyOn(globalThis, 'setTimeout');
    const { nft } = clientOf([...Array.from({ length: 9 }, () => json(pending)), json(example)]);
    await ended(nft.waitFor(pending));
    const [first = 0, , , , , , , , , last = 0] = waits.mock.calls.map(([, ms]) => ms);
    expect(first).toBeLessThanOrEqual(1_000);
    expect(last).toBeGreaterThanOrEqual(5_000);
    expect(last).toBeLessThanOrEqual(10_000);
  });
});
