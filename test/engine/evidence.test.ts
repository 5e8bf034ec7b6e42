import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei, parseTransaction, type Hex } from 'viem';
import { holdUnfinished } from '../../src/engine/store/waiting.ts';
import { runBatch } from '../../src/platform/database/client.ts';
import { readObservations, saveLane } from '../../src/engine/store/lane-row.ts';
import { contextThatFinds, startWorld, type Hook, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('lane.store_failed');

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 3 });
});

const heldWith = async (id: string) => String((await world.order(id))['hold_detail']);

/**
 * What is the number of the newest block of a node that refuses every estimate; without it, the node does as it should.
 */
interface Refusing {
  block?: number;
  refused: number;
}

const refusingAt =
  (node: Refusing): Hook =>
  async (request, next) => {
    if (node.block === undefined || !request.body.includes('"eth_')) return await next();
    const number = `0x${node.block.toString(16)}`;
    const calls = [JSON.parse(request.body)].flat() as { id: number; method: string; params: unknown[] }[];
    const replies = [await (await next()).json()].flat() as { id: number; result: Record<string, unknown> }[];
    const falsified = replies.map((reply) => {
      const call = calls.find(({ id: called }) => called === reply.id);
      if (call?.method === 'eth_getBlockByNumber' && call.params[0] === 'latest')
        return { ...reply, result: { ...reply.result, number } };
      if (call?.method !== 'eth_estimateGas') return reply;
      node.refused += 1;
      return { id: reply.id, error: { code: 3, message: 'execution reverted', data: '0x' } };
    });
    return Response.json(request.body.startsWith('[') ? falsified : falsified[0]);
  };

describe('what a node with an old head refuses', () => {
  it.each([
    ['the lane has observed a newer block', false],
    ['another driver has observed a newer block than this one remembers', true],
  ])('is tried again, because %s', async (_, isRemembering) => {
    const node: Refusing = { refused: 0 };
    const driver = world.driver(refusingAt(node));
    const [first = ''] = await world.acceptMints(1);
    await (isRemembering ? driver : world.driver()).finish();
    await world.chain.mine({ blocks: 10 });
    const [second = ''] = await world.acceptMints(1);
    await world.driver().finish();
    await world.expectMintedOnce([first, second]);
    const [id = ''] = await world.acceptMints(1, { erc721: true });
    node.block = Number(await world.chain.getBlockNumber()) - 2;
    await driver.until(() => Promise.resolve(node.refused > 0));
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    expect(await heldWith(id)).toContain('the order depends on block');
    delete node.block;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

/** A reply with a block. */
interface Reply {
  readonly result: Readonly<Record<string, unknown>>;
}

it('a third party whose transaction an older head may lack is looked for at one that the lane has observed', async () => {
  await world.driver().finish();
  const [first = '', id = ''] = await world.acceptMints(2);
  await world.pool.query("update orders set approval_until = now() + interval '1 hour' where order_id = $1", [id]);
  await world.driver().until(async () => (await world.order(first))['status'] === 'CONFIRMED');
  const top = Number(await world.chain.getBlockNumber({ cacheTime: 0 }));
  const heads: number[] = [];
  const context = contextThatFinds(world.driver(), ({ reads }) => {
    heads.push(reads.blockNumber);
    return Promise.resolve(undefined);
  });
  await world.pool.query(
    'update orders set cancel_requested_at = now(), next_try_at = now(), version = version + 1 where order_id = $1',
    [id],
  );
  let isStalled = true;
  const stalled: Hook = async (request, next) => {
    if (!isStalled || !request.body.includes('"latest",false')) return await next();
    const replies = (await (await next()).json()) as Reply | Reply[];
    const [block, ...others] = [replies].flat();
    const older = { ...block, result: { ...block?.result, number: `0x${(top - 1).toString(16)}` } };
    return Response.json(Array.isArray(replies) ? [older, ...others] : older);
  };
  const driver = world.driver(stalled, 500, context);
  await driver.run();
  expect(await world.order(id)).toMatchObject({ state: 'waiting' });
  isStalled = false;
  await world.makeDue();
  await driver.finish();
  expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  expect(Math.min(...heads)).toBeGreaterThanOrEqual(top);
});

it('what a lane has observed is not forgotten if an earlier statement commits later, or another driver knows less', async () => {
  await world.pool.query('delete from lanes');
  const { lane, services } = world.driver().context;
  const save = (block: number, at: number, falseBlocks: readonly number[] = []) => {
    const condition = { state: 'ok', orderId: null, reason: null } as const;
    const fields = { floor: 0, falseBlocks, signedAt: null };
    const snapshot = { ...condition, ...fields, observations: [[block, 0]] as const };
    return runBatch(services.db, { lane: saveLane(services.db, lane, snapshot, new Date(at)) });
  };
  const now = Date.now();
  await save(20, now + 1);
  await save(10, now);
  expect(await readObservations(services.db, lane)).toEqual([[20, 0]]);
  await save(30, now + 2);
  expect(await readObservations(services.db, lane)).toEqual([[30, 0]]);
  // A driver that was away for long remembers older blocks.
  await save(25, now + 3);
  expect(await readObservations(services.db, lane)).toEqual([[30, 0]]);
  // What was found false does not stay.
  await save(25, now + 4, [30]);
  expect(await readObservations(services.db, lane)).toEqual([[25, 0]]);
  // But what another driver has observed since does.
  await save(40, now + 5);
  await save(25, now + 6, [30]);
  expect(await readObservations(services.db, lane)).toEqual([[40, 0]]);
  await world.pool.query('delete from lanes');
});

describe('a block that no node will ever have', () => {
  it('holds an order that rests on it for an hour, and not for ever', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query('update orders set not_before_block = 4000000000 where order_id = $1', [id]);
    const driver = world.driver();
    await driver.run();
    expect(await heldWith(id)).toContain('the order depends on block 4000000000');
    driver.clock.ahead = 3_500_000;
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting' });
    driver.clock.ahead = 3_700_000;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it('holds an order for as long if it was held for another reason before', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query(
      `update orders set not_before_block = 4000000000, hold_reason = 'paused', held_since = now() - interval '2 hours'
       where order_id = $1`,
      [id],
    );
    const driver = world.driver();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    driver.clock.ahead = 3_700_000;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it.each([
    ['was signed after that hour', false],
    ['is signed', true],
  ])('does not keep an order that %s from ending by its cancel', async (_, isLater) => {
    const context = contextThatFinds(world.driver(), () => Promise.resolve(undefined));
    const [id = ''] = await world.acceptMints(1);
    const rest = () => world.pool.query('update orders set not_before_block = 4000000000 where order_id = $1', [id]);
    if (!isLater) await rest();
    const driver = world.driver(undefined, 500, context);
    await world.chain.setAutomine(false);
    await driver.run();
    driver.clock.ahead = 3_700_000;
    await world.makeDue();
    await driver.until(async () => (await world.order(id))['state'] === 'signed');
    if (isLater) await rest();
    await world.pool.query('update orders set cancel_requested_at = now(), version = version + 1 where order_id = $1', [
      id,
    ]);
    await driver.until(async () => (await world.attempts(id)).at(-1)?.['purpose'] === 'cancel');
    if (isLater) driver.clock.ahead = 7_400_000;
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 2 });
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  });

  it('does not keep an order from being cancelled', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query(
      'update orders set not_before_block = 4000000000, cancel_requested_at = now(), version = version + 1 where order_id = $1',
      [id],
    );
    await world.driver().finish();
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  });
});

/** A node that takes no transaction whose fee may be above a cap, as geth's RPCTxFeeCap. */
const capped =
  (cap: bigint): Hook =>
  async (request, next) => {
    if (!request.body.includes('eth_sendRawTransaction')) return await next();
    const calls = [JSON.parse(request.body)].flat() as { id: number; params: [Hex] }[];
    const isAbove = calls.map(({ params: [raw] }) => {
      const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(raw);
      return gas * maxFeePerGas > cap;
    });
    if (!isAbove.includes(true)) return await next();
    const error = { code: -32_000, message: 'tx fee (1.25 ether) exceeds the configured cap (1.00 ether)' };
    const replies = calls.map(({ id }) => ({ id, error }));
    return Response.json(request.body.startsWith('[') ? replies : replies[0]);
  };

describe("a node's cap on the fee of a transaction", () => {
  it('does not stop a wallet: what the node does not take is offered for less once that is possible', async () => {
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('100') });
    await world.chain.mine({ blocks: 1 });
    const ids = await world.acceptMints(4);
    const driver = world.driver(capped(parseEther('0.001')));
    await driver.until(async () => (await world.order(ids[3] ?? ''))['state'] === 'signed');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await world.chain.mine({ blocks: 4 });
    await driver.run();
    for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
    driver.clock.ahead = 31_000;
    await driver.finish();
    await world.expectMintedOnce(ids);
    const attempts = (await Promise.all(ids.map((id) => world.attempts(id)))).flat();
    expect(attempts.filter(({ purpose }) => purpose === 'cancel')).toEqual([]);
  });

  it('fails an order whose bytes it never takes, by a cancel, with the reason', async () => {
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver(capped(parseGwei('1') * 21_000n * 4n));
    await driver.until(async () => (await world.order(id))['state'] === 'signed');
    await driver.run();
    await world.chain.mine({ blocks: 4 });
    for (const _ of Array.from({ length: 11 })) {
      driver.clock.ahead += 30_000;
      await driver.run();
    }
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED' });
    expect(String((await world.order(id))['error_message'])).toContain('exceeds the configured cap');
  });
});

describe('what a driver reads at the start of a run', () => {
  it('does not grow with what is confirmed and not final', async () => {
    let rows = 0;
    const counting: Hook = async (request, next) => {
      const reply = await next();
      if (!request.body.includes('/* claim-transactions */')) return reply;
      const { results } = (await reply.clone().json()) as { results: { rows: unknown[] }[] };
      rows = results.reduce((sum, result) => sum + result.rows.length, 0);
      return reply;
    };
    const read = async () => {
      await world.driver(counting).run();
      return rows;
    };
    const before = await read();
    await world.pool.query(
      `insert into orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, next_try_at,
         block_number, block_hash, tx_hash, created_at, updated_at)
       select lpad(to_hex(n), 24, '0'), 'mint', lpad(to_hex(n), 24, '0'), $1, '43114', $2, 'confirmed', now(), 1000000000 + n, '0x', '0x', now(), now()
       from generate_series(1, 50000) n`,
      [world.accountId, world.wallet.toLowerCase()],
    );
    expect(await read()).toBe(before);
    await world.pool.query('delete from orders where block_number > 1000000000');
  });
});

describe('an order that cannot be executed stops nobody else', () => {
  it('of a kind that this version does not know: it waits with a reason', async () => {
    const [novel = '', ...others] = await world.acceptMints(3);
    await world.pool.query(`update orders set kind = 'novel' where order_id = $1`, [novel]);
    await world.driver().until(async () => (await heldWith(novel)).includes('cannot execute orders of the kind novel'));
    // A pause, during which no order fails, however long.
    expect(await world.order(novel)).toMatchObject({ state: 'waiting', hold_reason: 'paused' });
    await world.driver().until(async () => (await world.order(others[1] ?? ''))['status'] === 'CONFIRMED');
    await world.pool.query(`update orders set kind = 'mint' where order_id = $1`, [novel]);
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([novel, ...others]);
  });

  it('signed by a newer version: its lane goes on, and sends its bytes for what depends on its nonce', async () => {
    await world.chain.setAutomine(false);
    const [novel = ''] = await world.acceptMints(1);
    await world.driver().until(async () => (await world.order(novel))['status'] === 'SENT');
    await world.pool.query(`update orders set kind = 'novel' where order_id = $1`, [novel]);
    const [attempt] = await world.attempts(novel);
    await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
    await world.chain.setAutomine(true);
    const [id = ''] = await world.acceptMints(1);
    await world.driver().until(async () => (await world.order(id))['status'] === 'CONFIRMED');
    await world.pool.query(`update orders set kind = 'mint' where order_id = $1`, [novel]);
    await world.driver().finish();
    await world.expectMintedOnce([novel, id]);
  });

  it('of a wallet that cannot pay for it: those behind it are executed', async () => {
    const [dear = '', ...others] = await world.acceptMints(5);
    const { context } = world.driver();
    const mint = context.kinds.get('mint');
    if (mint === undefined) throw new Error('There are mints');
    const call: typeof mint.call = (claim) => ({
      ...mint.call(claim),
      ...(claim.orderId === dear ? { gas: 400_000n } : {}),
    });
    const kinds = new Map([...context.kinds, ['mint', { ...mint, call, gasCeiling: () => 500_000n }]]);
    await world.chain.setBalance({ address: world.wallet, value: parseGwei('3') * 300_000n });
    const driver = world.driver(undefined, 500, { ...context, kinds });
    await driver.until(async () => (await world.order(others[3] ?? ''))['status'] === 'CONFIRMED');
    expect(await world.order(dear)).toMatchObject({ state: 'waiting', hold_reason: 'funds' });
    expect(await heldWith(dear)).toMatch(/lacks \d+ wei/);
    await world.chain.setBalance({ address: world.wallet, value: parseEther('1') });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([dear, ...others]);
  });

  it('of a wallet that cannot pay for many: what was due before they are tried again is tried before them', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 0n });
    const older = await world.acceptMints(150);
    await world.makeDue();
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query("update orders set next_try_at = now() - interval '1 second' where order_id = $1", [id]);
    await world.driver(undefined, 500).run();
    expect(await world.order(id)).toMatchObject({ tries: 1, hold_reason: 'funds' });
    const tries = await Promise.all(older.map(async (one) => (await world.order(one))['tries']));
    expect(tries).toContain(0);
    await world.chain.setBalance({ address: world.wallet, value: parseEther('1') });
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([...older, id]);
  });

  it('whose transaction cannot be stored: those of its chunk are executed', async () => {
    const [rejected = '', ...others] = await world.acceptMints(4);
    const { id } = await world.order(rejected);
    await world.pool.query(
      `create function reject() returns trigger language plpgsql as $$ begin raise exception 'rejected'; end $$;
       create trigger reject before insert on attempts for each row when (new.transaction_id = '${String(id)}') execute function reject()`,
    );
    const driver = world.driver();
    await driver.until(async () => (await world.order(others[2] ?? ''))['status'] === 'CONFIRMED');
    expect(await world.order(rejected)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    expect(await heldWith(rejected)).toBe('The service could not store its transaction');
    await world.pool.query('drop trigger reject on attempts; drop function reject()');
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([rejected, ...others]);
  });

  it('of a chain that is no longer allowed: it has a reason, signed or not, and loses it once it is executed', async () => {
    const { services, lane } = world.driver().context;
    await world.chain.setAutomine(false);
    const [signed = ''] = await world.acceptMints(1);
    await world.driver().until(async () => (await world.order(signed))['state'] === 'signed');
    const [waiting = ''] = await world.acceptMints(1);
    const detail = "Chain 43114 is not among the service's chains";
    for (let times = 0; times < 2; times += 1) await holdUnfinished(services.db, lane, detail, new Date());
    for (const id of [signed, waiting]) expect(await heldWith(id)).toBe(detail);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await world.driver().finish();
    await world.expectMintedOnce([signed, waiting]);
    for (const id of [signed, waiting]) expect(await world.order(id)).toMatchObject({ hold_reason: null });
  });

  it('of a chain that was away for longer than orders wait: it does not fail at the first reply that is lost', async () => {
    const { services, lane } = world.driver().context;
    const [id = ''] = await world.acceptMints(1);
    await holdUnfinished(services.db, lane, 'Chain 43114 is not among', new Date(Date.now() - 25 * 3_600_000));
    let lost = 0;
    const losing: Hook = async (request, next) => {
      if (!request.body.includes('eth_estimateGas') || lost > 0) return await next();
      lost += 1;
      return new Response('unavailable', { status: 503 });
    };
    await world.driver(losing).until(() => Promise.resolve(lost > 0));
    expect(await world.order(id)).toMatchObject({ state: 'waiting' });
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });
  it('of a chain that was away for a day between faulty answers: that day does not count, but moments do', async () => {
    let state: 'faulty' | 'away' | 'well' = 'faulty';
    const driver = world.driver(async (request, next) => {
      if (state === 'away' && request.body.includes('"eth_')) return new Response('unavailable', { status: 503 });
      if (state !== 'faulty' || !request.body.includes('eth_estimateGas')) return await next();
      const calls = [JSON.parse(request.body) as { id: number } | { id: number }[]].flat();
      const error = { code: -32_000, message: 'header not found' };
      return Response.json(calls.map(({ id }) => ({ id, error })));
    });
    const [id = ''] = await world.acceptMints(1);
    const tries = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        driver.clock.ahead += 60_000;
        await world.makeDue();
        await driver.run();
      }
    };
    await tries(1);
    expect(await world.order(id)).toMatchObject({ hold_reason: 'not-now' });
    state = 'away';
    driver.clock.ahead += 25 * 3_600_000;
    await tries(2);
    state = 'faulty';
    await tries(2);
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    state = 'well';
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);

    const [other = ''] = await world.acceptMints(1);
    for (let hours = 0; hours < 26; hours += 1) {
      state = 'faulty';
      await tries(1);
      state = 'away';
      await tries(1);
      driver.clock.ahead += 3_600_000;
    }
    expect(await world.order(other)).toMatchObject({ state: 'failed' });
  });
});
