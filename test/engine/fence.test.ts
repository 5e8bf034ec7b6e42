import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grantWorkerRole } from '../../cli/migrate/grant-worker-role.ts';
import { raiseFence } from '../../cli/fence/raise-fence.ts';
import { isFencedOff } from '../../src/engine/store/fence.ts';
import { startWorld, type World } from './lane-world.ts';
import { untilWaiting } from './until-waiting.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.chain.setAutomine(true));

const databaseUrl = () => world.driver().context.services.settings.DATABASE_URL;
const raise = () => raiseFence(databaseUrl());

/** Locks an order's transaction, so that what changes it has to wait. @returns what unlocks it. */
async function lock(id: string): Promise<() => Promise<void>> {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query('select 1 from orders where order_id = $1 for update', [id]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

/** Has a request wait for a fence that is being raised. @returns its reply. */
async function whileRaising(send: () => Promise<Response>): Promise<Response> {
  const fence = await world.pool.connect();
  await fence.query('begin');
  await fence.query("select pg_advisory_xact_lock(hashtext('fence'))");
  await fence.query(
    'insert into fence (epoch, raised_at) values ($1, now()) on conflict (is_only) do update set epoch = excluded.epoch',
    [randomUUID()],
  );
  const reply = send();
  await Promise.race([untilWaiting(world, 'advisory'), reply]);
  await fence.query('commit');
  fence.release();
  return await reply;
}

it('a driver that was fenced off claims nothing, and the next one takes over', async () => {
  const [first = ''] = await world.acceptMints(1);
  const old = world.driver();
  await old.finish();
  await world.expectMintedOnce([first]);
  await raise();
  const [second = ''] = await world.acceptMints(1);
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(await world.order(second)).toMatchObject({ state: 'waiting', tries: 0, nonce: null });
  await world.driver().finish();
  await world.expectMintedOnce([second]);
});

it('a driver that claims while the fence is raised claims nothing', async () => {
  const [first = ''] = await world.acceptMints(1);
  let isUnderWay = false;
  const old = world.driver(async ({ body }, next) => {
    if (!isUnderWay || !body.includes('/* claim-transactions */')) return await next();
    isUnderWay = false;
    return await whileRaising(next);
  });
  await old.finish();
  await world.expectMintedOnce([first]);
  const [second = ''] = await world.acceptMints(1);
  isUnderWay = true;
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(await world.order(second)).toMatchObject({ state: 'waiting', tries: 0, nonce: null });
  await world.driver().finish();
  await world.expectMintedOnce([second]);
});

it('a driver that stands still between storing and sending sends nothing once its time is over', async () => {
  const [id = ''] = await world.acceptMints(1);
  let isStored = false;
  let sent = 0;
  const old = world.driver(async ({ body }, next) => {
    if (isStored && body.includes('eth_sendRawTransaction')) sent += 1;
    const reply = await next();
    if (!isStored && body.includes('/* store-attempts */')) {
      await raise();
      isStored = true;
      old.clock.ahead = 600_000;
    }
    return reply;
  });
  await expect(old.run()).rejects.toSatisfy(isFencedOff);
  expect([sent, await world.order(id)]).toEqual([0, expect.objectContaining({ state: 'signed' })]);
  await world.driver().finish();
  await world.expectMintedOnce([id]);
});

it('a driver that is fenced off while it signs stores and sends nothing', async () => {
  const ids = await world.acceptMints(3);
  let sent = 0;
  const old = world.driver(async ({ body }, next) => {
    if (body.includes('eth_sendRawTransaction')) sent += 1;
    if (body.includes('/* store-attempts */')) await raise();
    return await next();
  });
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(sent).toBe(0);
  for (const id of ids) expect(await world.attempts(id)).toEqual([]);
  await world.makeDue();
  await world.driver().finish();
  await world.expectMintedOnce(ids);
  for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
});

it('a driver that is fenced off replaces nothing', async () => {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const old = world.driver();
  await old.until(async () => (await world.order(id))['status'] === 'SENT');
  const [attempt] = await world.attempts(id);
  await raise();
  const baseFeePerGas = BigInt(String(attempt?.['max_fee_per_gas'])) * 2n;
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await world.chain.mine({ blocks: 2 });
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(await world.attempts(id)).toHaveLength(1);
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await world.driver().finish();
  await world.expectMintedOnce([id]);
});

describe('raising the fence', () => {
  it('waits for a store under way, and nothing is stored after it', async () => {
    const [id = ''] = await world.acceptMints(1);
    let isRaised = false;
    let attemptsAtRaise: number | undefined;
    let isRaisedBeforeStore: boolean | undefined;
    const raising = async () => {
      await raise();
      isRaised = true;
      attemptsAtRaise = (await world.attempts(id)).length;
    };
    let raised: Promise<void> | undefined;
    const old = world.driver(async ({ body }, next) => {
      if (!body.includes('/* store-attempts */') || raised !== undefined) return await next();
      const unlock = await lock(id);
      const reply = next();
      await untilWaiting(world, 'transactionid');
      raised = raising();
      await Promise.race([untilWaiting(world, 'advisory'), raised]);
      isRaisedBeforeStore = isRaised;
      await unlock();
      return await reply;
    });
    await expect(old.finish()).rejects.toSatisfy(isFencedOff);
    await raised;
    expect(isRaisedBeforeStore).toBe(false);
    expect(attemptsAtRaise).toBe(1);
    expect(await world.attempts(id)).toHaveLength(1);
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });

  it('lets nothing be stored that began while it was under way', async () => {
    const [id = ''] = await world.acceptMints(1);
    let isUnderWay = false;
    const old = world.driver(async ({ body }, next) => {
      if (!body.includes('/* store-attempts */') || isUnderWay) return await next();
      isUnderWay = true;
      return await whileRaising(next);
    });
    await expect(old.finish()).rejects.toSatisfy(isFencedOff);
    expect(await world.attempts(id)).toEqual([]);
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });

  it('waits for a store of the role whose rights it revokes, which can then write nothing', async () => {
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query("create role fenced login password 'fenced'");
    await grantWorkerRole(databaseUrl(), 'fenced');
    const url = new URL(databaseUrl());
    [url.username, url.password] = ['fenced', 'fenced'];
    const worker = new Client({ connectionString: url.href });
    await worker.connect();
    const note = (text: string) => worker.query('update orders set hold_detail = $1 where order_id = $2', [text, id]);
    const unlock = await lock(id);
    await worker.query('begin');
    await worker.query("select require_epoch((select coalesce(max(epoch), '') from fence))");
    const noted = note('under way');
    await untilWaiting(world, 'transactionid');
    let isRaised = false;
    const raised = raiseFence(databaseUrl(), 'fenced').then(() => (isRaised = true));
    await Promise.race([untilWaiting(world, 'advisory'), raised]);
    await unlock();
    await noted;
    expect(isRaised).toBe(false);
    await worker.query('commit');
    await raised;
    expect(await world.order(id)).toMatchObject({ hold_detail: 'under way' });
    await expect(note('late')).rejects.toThrow('permission denied');
    await worker.end();
    await world.pool.query('drop owned by fenced');
    await world.pool.query('drop role fenced');
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });
});

/** A driver, within a run, and the order that it has signed and sent; no block has arrived since. */
async function runningDriver() {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const running = world.driver(undefined, 20_000).run();
  // Awaited later.
  running.catch(() => undefined);
  await expect.poll(async () => (await world.order(id))['status']).toBe('SENT');
  return { id, running };
}

describe('a driver that is fenced off in the middle of a run', () => {
  it('writes no end', async () => {
    const { id, running } = await runningDriver();
    await raise();
    await world.chain.mine({ blocks: 1 });
    await expect(running).rejects.toSatisfy(isFencedOff);
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });

  it('gives up no nonce', async () => {
    const { id, running } = await runningDriver();
    const { nonce } = await world.order(id);
    const [attempt] = await world.attempts(id);
    await raise();
    await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
    await world.useNonceElsewhere();
    await world.chain.mine({ blocks: 1 });
    await expect(running).rejects.toSatisfy(isFencedOff);
    expect(await world.order(id)).toMatchObject({ state: 'signed', nonce });
    await world.chain.setAutomine(true);
    await world.driver().finish();
    await world.expectMintedOnce([id]);
    expect(await world.attempts(id)).toHaveLength(2);
  });
});
