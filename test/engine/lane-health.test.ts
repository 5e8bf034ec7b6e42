import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei, type Hex } from 'viem';
import { activeLanes } from '../../src/engine/store/idle-lanes.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 1 });
});

const MINUTE_MS = 60_000;

/** What GET /status says of the wallet; undefined where it is not listed. */
async function lane() {
  const { services } = world.driver().context;
  const [only] = await activeLanes(services.db, 10);
  return only && { state: only.state, orderId: only.orderId, reason: only.reason, isSince: only.since !== null };
}

const eventsOf = ({ events }: Driver) => events.map(({ event }) => event);
const until = (driver: Driver, id: string, status: string) =>
  driver.until(async () => (await world.order(id))['status'] === status);

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

function isOfOldState({ method, params }: Call, newest: number): boolean {
  const isState = /eth_(getTransactionCount|call|getCode|getBalance|estimateGas)/.test(method);
  const block = params.at(-1);
  return isState && typeof block === 'string' && block.startsWith('0x') && Number(block) < newest - 64;
}

async function mineAgain(): Promise<void> {
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
}

/** Runs until everything has ended, and checks that nothing holds the lane up any more. */
async function recover(driver: Driver, ids: readonly string[]): Promise<void> {
  await driver.finish();
  await driver.run();
  await world.expectMintedOnce(ids);
  expect(await lane()).toBeUndefined();
  expect(eventsOf(driver)).toContain('lane.ok');
}

describe('a chain that makes no blocks for a minute', () => {
  it('is a lane that is stuck, by the order that is next in line, at the same price as before', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(2);
    const driver = world.driver();
    await until(driver, ids[1] ?? '', 'SENT');
    expect(await lane()).toMatchObject({ state: 'ok', reason: null });
    const nonces = await Promise.all(ids.map(async (id) => Number((await world.order(id))['nonce'])));
    driver.clock.ahead = MINUTE_MS;
    await driver.run();
    await driver.run();
    expect(await lane()).toEqual({
      state: 'stuck',
      orderId: ids[nonces.indexOf(Math.min(...nonces))],
      reason: expect.stringMatching(/^Nonce \d+ is not mined; nothing has been mined since /),
      isSince: true,
    });
    expect(eventsOf(driver).filter((event) => event === 'lane.stuck')).toHaveLength(1);
    for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
    await mineAgain();
    await recover(driver, ids);
  });
});

describe('a lane with nothing to do for minutes', () => {
  it('is not stuck when the next order is sent', async () => {
    const driver = world.driver();
    const before = await world.acceptMints(1);
    await driver.finish();
    await driver.run();
    driver.clock.ahead = 10 * MINUTE_MS;
    const ids = await world.acceptMints(1);
    await driver.finish();
    await world.expectMintedOnce([...before, ...ids]);
    expect(eventsOf(driver)).not.toContain('lane.stuck');
  });
});

describe('a node that', () => {
  const failures: readonly [string, Hook][] = [
    ['gives no answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['answers nonsense', () => Promise.resolve(Response.json({ hello: 'world' }))],
    ['answers with an error', () => Promise.resolve(new Response('unavailable', { status: 503 }))],
    [
      'answers each call with nothing',
      () => Promise.resolve(Response.json([0, 1, 2, 3].map((id) => ({ id, result: null })))),
    ],
  ];

  it.each(failures)('%s for a minute is a lane that is stuck, and fails no order', async (_, answer) => {
    const ids = await world.acceptMints(2);
    let isBroken = true;
    const onChain: Hook = (request, next) =>
      isBroken && request.body.includes('"eth_') ? answer(request, next) : next();
    const driver = world.driver(onChain);
    await driver.run();
    driver.clock.ahead += MINUTE_MS;
    await world.makeDue();
    await driver.run();
    await driver.run();
    expect(await lane()).toEqual({
      state: 'stuck',
      orderId: null,
      reason: 'The chain does not answer',
      isSince: true,
    });
    expect(eventsOf(driver)).toContain('lane.stuck');
    for (const id of ids) expect(await world.order(id)).toMatchObject({ state: 'waiting', nonce: null });
    isBroken = false;
    await world.makeDue();
    await recover(driver, ids);
  });

  it('prunes old blocks and states keeps no order from its end', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(3);
    let newest = 0;
    // As full nodes: whatever asks for the state of an old block is an error.
    const pruning: Hook = async (request, next) => {
      if (!request.body.includes('"eth_')) return await next();
      const parsed = JSON.parse(request.body) as Call | Call[];
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      const pruned = new Set(calls.filter((call) => isOfOldState(call, newest)).map(({ id }) => id));
      const reply = (await (await next()).json()) as object;
      const error = { code: -32_000, message: 'missing trie node' };
      const answers = (Array.isArray(reply) ? reply : [reply]) as { id: number }[];
      const left = answers.map((answer) => (pruned.has(answer.id) ? { id: answer.id, error } : answer));
      return Response.json(Array.isArray(parsed) ? left : left[0]);
    };
    const driver = world.driver(pruning);
    await until(driver, ids[2] ?? '', 'SENT');
    await mineAgain();
    await world.chain.mine({ blocks: 200 });
    newest = Number(await world.chain.getBlockNumber({ cacheTime: 0 }));
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});

it('a nonce that is used by what no node shows is a lane that is stuck, by its order', async () => {
  let isHidden = true;
  let isSilent = false;
  const hiding: Hook = async (request, next) => {
    if (isSilent && request.body.includes('"eth_')) return new Response('', { status: 503 });
    if (!isHidden || !request.body.includes('eth_getTransactionReceipt')) return await next();
    const parsed = JSON.parse(request.body) as Call | Call[];
    const receipts = new Set([parsed].flat().flatMap(({ id, method }) => (method.endsWith('Receipt') ? [id] : [])));
    const replies = [(await (await next()).json()) as { id: number }].flat();
    const left = replies.map((reply) => (receipts.has(reply.id) ? { ...reply, result: null } : reply));
    return Response.json(Array.isArray(parsed) ? left : left[0]);
  };
  const [id = ''] = await world.acceptMints(1);
  const driver = world.driver(hiding);
  await driver.until(async () => {
    driver.clock.ahead += MINUTE_MS / 4;
    await world.chain.mine({ blocks: 1 });
    return (await lane())?.state === 'stuck';
  });
  const stuck = {
    orderId: id,
    reason: expect.stringMatching(/^Nonce \d+ is used, but not settled, although final since /),
  };
  expect(await lane()).toMatchObject(stuck);
  // After a silence, it is that again.
  isSilent = true;
  await driver.until(async () => {
    driver.clock.ahead += MINUTE_MS / 4;
    return (await lane())?.reason === 'The chain does not answer';
  });
  isSilent = false;
  await driver.until(async () => (await lane())?.orderId === id);
  expect(await lane()).toMatchObject(stuck);
  isHidden = false;
  await recover(driver, [id]);
});

describe('a wallet', () => {
  it('that cannot pay for what is signed is empty until it is funded and that is mined', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    let isEmpty = true;
    const dry: Hook = (request, next) => {
      if (!isEmpty || !request.body.includes('eth_sendRawTransaction')) return next();
      const { id: callId } = JSON.parse(request.body) as { id: number };
      const error = { code: -32_000, message: 'insufficient funds for gas * price + value' };
      return Promise.resolve(Response.json({ jsonrpc: '2.0', id: callId, error }));
    };
    const driver = world.driver(dry);
    await until(driver, id, 'SENT');
    expect(await lane()).toMatchObject({ state: 'empty', orderId: id });
    expect(await world.attempts(id)).toHaveLength(1);
    expect(eventsOf(driver)).toContain('wallet.empty');
    isEmpty = false;
    // The bytes are sent again after a while.
    driver.clock.ahead = MINUTE_MS;
    await mineAgain();
    await recover(driver, [id]);
  });

  it('that was held for funds is no longer empty once its last order has failed', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    expect(await lane()).toMatchObject({ state: 'empty', orderId: id });
    await world.pool.query("update orders set held_since = now() - interval '25 hours' where order_id = $1", [id]);
    await world.makeDue();
    await driver.run();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED' });
    expect(await lane()).toBeUndefined();
  });
});

/** A node that suggests a tip of 120 gwei. */
const greedy: Hook = async (request, next) => {
  const reply = await next();
  if (!request.body.includes('eth_maxPriorityFeePerGas')) return reply;
  const calls = JSON.parse(request.body) as { id: number; method: string }[];
  const tip = calls.find(({ method }) => method === 'eth_maxPriorityFeePerGas')?.id;
  const body = (await reply.json()) as { id: number }[];
  return Response.json(body.map((one) => (one.id === tip ? { ...one, result: '0x1bf08eb000' } : one)));
};

describe('fees above the cap', () => {
  it('have nothing replaced by more than the cap, and the lane says so until they fall', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await until(driver, id, 'SENT');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('600') });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await lane())?.state === 'fee-capped');
    expect(await lane()).toMatchObject({ orderId: id });
    expect(eventsOf(driver)).toContain('lane.fee_capped');
    expect(await world.attempts(id)).toHaveLength(1);
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await mineAgain();
    await recover(driver, [id]);
  });

  it('that only the suggested tip is keep no bytes from being sent again', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver(greedy);
    await until(driver, id, 'SENT');
    const [attempt] = await world.attempts(id);
    await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
    await world.chain.mine({ blocks: 4 });
    driver.clock.ahead = MINUTE_MS;
    await driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(id))['status'] === 'CONFIRMED';
    });
    await world.expectMintedOnce([id]);
  });
});
