import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseGwei } from 'viem';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { startWorld } from './lane-world.ts';
import type { Driver, World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '3' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setIntervalMining({ interval: 0 });
  await world.chain.setAutomine(true);
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 4 });
});

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = { id: number; result?: unknown; error?: unknown };

/** What a provider makes of a request; `real` are the chain's replies. */
type Fault = (calls: readonly Call[], real: () => Promise<Reply[]>) => Promise<Response | Reply[]>;

/**
 * A driver with one or three providers of one chain, of which the first is faulty while `isFaulty` says so.
 * @param providers Their number.
 */
function driverWith(providers: number, fault: Fault, isFaulty: () => boolean = () => true): Driver {
  const { context } = world.driver();
  const [url] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  const urls = Array.from({ length: providers }, (_, index) => `${url}/?provider=${index + 1}`);
  const rpc = createRpcClient(urls, { batchSize: 50, timeoutMs: 2_000 });
  return world.driver(
    async (request, next) => {
      if (!request.url.endsWith('provider=1') || !isFaulty()) return await next();
      const body = JSON.parse(request.body) as Call | Call[];
      const real = async () => [(await (await next()).json()) as Reply | Reply[]].flat();
      const replies = await fault([body].flat(), real);
      if (replies instanceof Response) return replies;
      return Response.json(Array.isArray(body) ? replies : replies[0]);
    },
    500,
    { ...context, chain: { ...context.chain, rpc } },
  );
}

const changed =
  (method: string, change: (result: never) => unknown): Fault =>
  async (calls, real) => {
    const ids = new Set(calls.filter((call) => call.method === method).map(({ id }) => id));
    return (await real()).map((reply) =>
      ids.has(reply.id) ? { ...reply, result: change(reply.result as never) } : reply,
    );
  };

const hidden = changed('eth_getTransactionReceipt', () => null);

/** Hides receipts and falsifies the hashes of transactions in bodies by one digit. */
const forged: Fault = async (calls, real) => {
  const withoutReceipts = await hidden(calls, real);
  if (withoutReceipts instanceof Response) return withoutReceipts;
  const text = JSON.stringify(withoutReceipts).replaceAll(
    /("hash":"0x[0-9a-f]{63})([0-9a-f])(","blockHash")/g,
    (_, start: string, digit: string, end: string) => `${start}${digit === '0' ? '1' : '0'}${end}`,
  );
  return JSON.parse(text) as Reply[];
};

const capitals: Fault = async (_, real) => {
  const text = JSON.stringify(await real()).replaceAll(/"0x[0-9a-f]+"/g, (hex) => `"0x${hex.slice(3).toUpperCase()}`);
  return JSON.parse(text) as Reply[];
};

const raised = (hex: string, by: number) => `0x${(Number(hex) + by).toString(16)}`;

const absurdHeights = changed('eth_getBlockByNumber', (block: { number: string } | null) =>
  block === null ? null : { ...block, number: raised(block.number, 2 ** 40) },
);

const absent: Fault = () => Promise.resolve(new Response('unavailable', { status: 503 }));

const strict: Fault = async (calls, real) =>
  calls.length > 1
    ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batches are not supported' } })
    : await real();

/** A limit on the fee of a transaction, as geth's RPCTxFeeCap, above which this provider takes none. */
const capped: Fault = async (calls, real) =>
  calls.some(({ method }) => method === 'eth_sendRawTransaction')
    ? calls.map(({ id }) => ({
        id,
        error: { code: -32_000, message: 'tx fee (1.01 ether) exceeds the configured cap (1.00 ether)' },
      }))
    : await real();

/** Stays some blocks behind: its head is an older one, and it has no later receipts. */
const lagging: Fault = async (calls, real) => {
  const top = Number(await world.chain.getBlockNumber()) - 2;
  const older = calls.map(({ id, method, params }) => {
    const height = method === 'eth_getBlockByNumber' && params[0] === 'latest' ? `0x${top.toString(16)}` : undefined;
    return { id, height };
  });
  const hiddenReceipts = await changed('eth_getTransactionReceipt', (receipt: { blockNumber: string } | null) =>
    receipt === null || Number(receipt.blockNumber) > top ? null : receipt,
  )(calls, real);
  if (hiddenReceipts instanceof Response) return hiddenReceipts;
  return await Promise.all(
    hiddenReceipts.map(async (reply) => {
      const height = older.find(({ id }) => id === reply.id)?.height;
      if (height === undefined) return reply;
      const params = [height, false];
      const result = await world.chain.request({ method: 'eth_getBlockByNumber', params } as never);
      return { ...reply, result };
    }),
  );
};

const faults: readonly (readonly [string, Fault])[] = [
  ['forges the hashes of transactions in bodies and hides receipts', forged],
  ['writes hex in capitals', capitals],
  ['names absurd block numbers', absurdHeights],
  ['lags', lagging],
  ['is absent', absent],
  ['limits the fee of a transaction', capped],
  ['refuses batches', strict],
];

describe.each([
  ['the only provider of a chain', 1],
  ['one of three providers of a chain', 3],
] as const)('%s', (_, providers) => {
  it.each(faults)('that %s executes no order twice and loses none', async (__, fault) => {
    let isFaulty = true;
    const driver = driverWith(providers, fault, () => isFaulty);
    const ids = await world.acceptMints(3);
    const until = Date.now() + 6_000;
    // Longer than a driver waits before it searches for who used a nonce.
    await driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return Date.now() > until;
    });
    isFaulty = false;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
    expect(driver.events.map(({ event }) => event)).not.toContain('transaction.nonce_lost');
    for (const id of ids) expect((await world.attempts(id)).filter(({ purpose }) => purpose === 'cancel')).toEqual([]);
  });
});

describe('while the others answer', () => {
  it.each(faults)('one of three providers that %s does not stop orders', async (_, fault) => {
    const ids = await world.acceptMints(3);
    const driver = driverWith(3, fault);
    await driver.until(async () => {
      await world.makeDue();
      await world.chain.mine({ blocks: 1 });
      const orders = await Promise.all(ids.map((id) => world.order(id)));
      return orders.every(({ status }) => status === 'CONFIRMED');
    });
    await world.expectMintedOnce(ids);
  });
});
