import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type Hook, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

interface Reply {
  readonly id: number;
  readonly result: Record<string, unknown> | null;
}

/** Changes what a node says of receipts, a number of times. */
function falsifying(times: number, change: (replies: readonly Reply[]) => readonly Reply[]): Hook {
  let left = times;
  return async (request, next) => {
    const reply = await next();
    if (left === 0 || !request.body.includes('eth_getTransactionReceipt')) return reply;
    const body = (await reply.json()) as Reply | Reply[];
    if (!Array.isArray(body)) return Response.json(change([body])[0]);
    const isKnown = body.some(({ result }) => result !== null);
    if (isKnown) left -= 1;
    return Response.json(change(body));
  };
}

describe('a receipt', () => {
  it('that names another transaction than the requested one is ignored', async () => {
    const ids = await world.acceptMints(6);
    const rotated = falsifying(3, (replies) =>
      replies.map((reply, index) => ({ ...reply, result: replies[(index + 1) % replies.length]?.result ?? null })),
    );
    await world.driver(rotated).finish();
    await world.expectMintedOnce(ids);
    const hashes = await Promise.all(
      ids.map(async (id) => [(await world.order(id))['tx_hash'], (await world.attempts(id))[0]?.['hash']]),
    );
    for (const [recorded, signed] of hashes) expect(recorded).toBe(signed);
  });

  it('of a block that is not canonical is ignored', async () => {
    const ids = await world.acceptMints(3);
    const reverted = falsifying(3, (replies) =>
      replies.map((reply) => ({
        ...reply,
        result: reply.result && { ...reply.result, status: '0x0', logs: [], blockHash: `0x${'9'.repeat(64)}` },
      })),
    );
    await world.driver(reverted).finish();
    await world.expectMintedOnce(ids);
  });

  it('whose logs do not show what was ordered is a failure, though the transaction succeeded', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world
      .driver(
        falsifying(1_000, (replies) =>
          replies.map((one) => ({ ...one, result: one.result && { ...one.result, logs: [] } })),
        ),
      )
      .finish();
    expect(await world.order(id)).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringContaining('its logs do not contain the ordered Transfer'),
    });
  });
});
