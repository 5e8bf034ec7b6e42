import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeFunctionData, formatEther, parseEther, parseTransaction, type Address, type Hex } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { orderKinds } from '../../src/orders/kinds.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { cancelOrder } from '../../src/orders/cancel-order.ts';
import { storeLimits } from '../../src/limits/limits.store.ts';
import { releaseHeld } from '../../src/engine/store/pauses.ts';
import { finishFinally, refusingBundles, startWorld, type Driver, type Hook, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('block.reorganized', 'lane.store_failed');

const CHAIN = '43114';
const NO_LIMITS = {
  ordersPerDay: null,
  pendingOrders: null,
  receivers: null,
  contracts: null,
  chains: null,
};
const FINALITY = 4;

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: String(FINALITY), IN_FLIGHT_WINDOW: '4' }, true);
});
afterAll(() => world.stop());

const statusOf = async (id: string) => String((await world.order(id))['status']);

const finish = (driver: Driver) => finishFinally(world, driver);

/** Accepts mints and has them signed and sent, but not mined. */
async function inPool(count: number, fields: Parameters<World['acceptMints']>[1] = {}) {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(count, fields);
  const driver = world.driver();
  await driver.until(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'SENT'));
  const hashes = new Set(
    (await Promise.all(ids.map((id) => world.attempts(id)))).flat().map(({ hash }) => hash as Hex),
  );
  expect(hashes.size).toBe(1);
  const [hash = '0x'] = hashes;
  return { ids, driver, hash };
}

async function cancel(id: string): Promise<void> {
  const { services } = world.driver();
  const tenant = { ...services, db: tenantOf(services.db, world.accountId), actor: { type: 'operator' } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what cancelling uses
  await cancelOrder(tenant as unknown as Parameters<typeof cancelOrder>[0], [mintKind], id);
}

async function eventsOf(id: string): Promise<string[]> {
  const { rows } = await world.pool.query(
    "select type from webhook_events where related_order_id = $1 and type like 'mint.%' order by id",
    [id],
  );
  return rows.map(({ type }) => type as string);
}

/** Keeps everything that is sent from the node. */
const cutOff: Hook = (request, next) =>
  request.body.includes('eth_sendRawTransaction')
    ? Promise.resolve(new Response('unavailable', { status: 503 }))
    : next();

/** Code that refuses every token. */
const CODE = '0x6001600055';

async function mintersOf(ids: readonly string[]): Promise<Set<unknown>> {
  return new Set((await Promise.all(ids.map((id) => world.order(id)))).map(({ tx_hash: hash }) => hash));
}

describe('mints that share a transaction', () => {
  it('are all CONFIRMED by it, and pay for it together to the wei', async () => {
    const ids = await world.acceptMints(7);
    await finish(world.driver());
    await world.expectMintedOnce(ids);
    const hashes = await mintersOf(ids);
    expect(hashes.size).toBe(1);
    const [hash] = hashes;
    const { gasUsed, effectiveGasPrice } = await world.chain.getTransactionReceipt({ hash: hash as Hex });
    const orders = await Promise.all(ids.map((id) => world.order(id)));
    const gas = orders.map(({ gas_used: used }) => BigInt(String(used)));
    expect(gas.reduce((sum, used) => sum + used, 0n)).toBe(gasUsed);
    const fees = orders.map(({ total_fee_native: fee }) => parseEther(String(fee)));
    expect(fees.reduce((sum, fee) => sum + fee, 0n)).toBe(gasUsed * effectiveGasPrice);
    const { rows } = await world.pool.query(
      `select sum(spent_wei)::text as spent from orders
       where id in (select bundle_id from orders where order_id = any($1)) or order_id = any($1) and kind = 'mint'`,
      [ids],
    );
    expect(formatEther(BigInt(rows[0].spent))).toBe(formatEther(gasUsed * effectiveGasPrice));
  });

  it('are told of it, and of their ends, one by one', async () => {
    const ids = await world.acceptMints(3);
    await world.pool.query("update webhook_endpoints set event_types = array['order.sent', 'mint.confirmed']");
    await finish(world.driver());
    await world.pool.query('update webhook_endpoints set event_types = null');
    for (const id of ids) expect(await eventsOf(id)).toEqual(['mint.confirmed']);
  });

  it('go alone if the contract would leave them out, where they fail with a reason', async () => {
    const ids = await world.acceptMints(4, { erc721: true });
    const [taken = '', ...others] = ids;
    const { token_id: tokenId, contract_address: address } = await world.order(taken);
    await world.takeToken(String(address) as Hex, String(tokenId));
    await finish(world.driver());
    await world.expectMintedOnce(others);
    expect((await mintersOf(others)).size).toBe(1);
    expect(await world.order(taken)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(await world.attempts(taken)).toEqual([]);
  });

  it('do not let a receiver with code break the others: it goes alone, with its callback', async () => {
    const [first = '', second = ''] = await world.acceptMints(2);
    const receiverAddress: Address = '0x00000000000000000000000000000000000c0de1';
    await world.chain.setCode({ address: receiverAddress, bytecode: CODE });
    const [refused = ''] = await world.acceptMints(1, { receiverAddress });
    await finish(world.driver());
    await world.expectMintedOnce([first, second]);
    expect((await mintersOf([first, second])).size).toBe(1);
    expect(await statusOf(refused)).toBe('FAILED');
  });

  it('of which the block leaves one out wait for its finality; that one is then executed alone', async () => {
    const receiverAddress: Address = '0x00000000000000000000000000000000000c0de2';
    await world.chain.setAutomine(false);
    const others = await world.acceptMints(3);
    const [late = ''] = await world.acceptMints(1, { receiverAddress });
    let isDown = false;
    const driver = world.driver(({ body }, next) =>
      isDown && body.includes('eth_estimateGas')
        ? Promise.resolve(new Response('unavailable', { status: 503 }))
        : next(),
    );
    await driver.until(async () => (await statusOf(late)) === 'SENT');
    const [attempt] = await world.attempts(late);
    const hash = attempt?.['hash'] as Hex;
    await world.chain.setCode({ address: receiverAddress, bytecode: CODE });
    await world.chain.mine({ blocks: 1 });
    await world.chain.setCode({ address: receiverAddress, bytecode: '0x' });
    await driver.until(async () => (await Promise.all(others.map(statusOf))).every((status) => status === 'CONFIRMED'));
    expect(await world.order(late)).toMatchObject({ state: 'signed', earlier_bundle_id: null });
    isDown = true;
    const { blockNumber } = await world.chain.getTransactionReceipt({ hash });
    await driver.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(late))['hold_reason'] === 'not-now';
    });
    // No node with an older head decides it: there it may have been minted.
    const { not_before_block: notBefore } = await world.order(late);
    expect(Number(notBefore)).toBeGreaterThanOrEqual(Number(blockNumber) + FINALITY - 1);
    isDown = false;
    await world.makeDue();
    await finish(driver);
    await world.expectMintedOnce([...others, late]);
    expect(await world.order(late)).toMatchObject({
      tx_hash: expect.not.stringContaining(hash),
      earlier_bundle_id: expect.any(String),
      bundle_id: null,
    });
    expect(await eventsOf(late)).toEqual(['mint.confirmed']);
  });

  it('are each decided by the receipt of the block that has them, after a reorganization too', async () => {
    const receiverAddress: Address = '0x00000000000000000000000000000000000c0de3';
    await world.chain.setAutomine(false);
    const others = await world.acceptMints(2);
    const [changing = ''] = await world.acceptMints(1, { receiverAddress });
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.until(async () => (await statusOf(changing)) === 'SENT');
    const [attempt] = await world.attempts(changing);
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await statusOf(changing)) === 'CONFIRMED');

    await world.chain.revert({ id: snapshot });
    await world.chain.setCode({ address: receiverAddress, bytecode: CODE });
    await world.chain.sendRawTransaction({ serializedTransaction: String(attempt?.['raw']) as Hex });
    await world.chain.mine({ blocks: 2 });
    await world.chain.setCode({ address: receiverAddress, bytecode: '0x' });
    await finish(driver);
    await world.expectMintedOnce([...others, changing]);
    expect(await world.order(changing)).toMatchObject({
      endings: 2,
      earlier_bundle_id: expect.any(String),
      tx_hash: expect.not.stringContaining(String(attempt?.['hash'])),
    });
    for (const id of others) expect(await world.order(id)).toMatchObject({ endings: 1 });
  });

  it('whose nonce another transaction of the wallet has used are executed alone, each once', async () => {
    const ids = await world.acceptMints(3);
    const run = world.driver(cutOff).run();
    await expect.poll(() => Promise.all(ids.map(statusOf))).toEqual(['SENT', 'SENT', 'SENT']);
    await world.useNonceElsewhere();
    await run;
    const driver = world.driver();
    await finish(driver);
    await world.expectMintedOnce(ids);
    expect((await mintersOf(ids)).size).toBe(3);
    expect(driver.events.filter(({ event }) => event === 'transaction.nonce_lost')).toHaveLength(1);
  });

  it('that no node accepts fail nobody: each is executed alone', async () => {
    await world.chain.setAutomine(true);
    const ids = await world.acceptMints(3);
    await finish(world.driver(refusingBundles()));
    await world.expectMintedOnce(ids);
    expect((await mintersOf(ids)).size).toBe(3);
  });

  it('are replaced with all that they carry when the base fee rises', async () => {
    const { ids, driver, hash } = await inPool(3);
    const [attempt] = await world.attempts(ids[0] ?? '');
    const { maxFeePerGas = 0n } = parseTransaction(String(attempt?.['raw']) as Hex);
    await world.chain.dropTransaction({ hash });
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas + 1n });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.attempts(ids[0] ?? '')).length > 1);
    const [, replacement] = await world.attempts(ids[0] ?? '');
    const { data = '0x' } = parseTransaction(String(replacement?.['raw']) as Hex);
    const { functionName, args } = decodeFunctionData({ ...standard1155, data });
    expect(functionName).toBe('mintMany');
    expect(args?.[0]).toHaveLength(3);
    await finish(driver);
    await world.expectMintedOnce(ids);
  });
});

function withoutThird(key: string, value: unknown): unknown {
  return key === 'logs' && Array.isArray(value) && value.length === 3 ? value.slice(0, 2) : value;
}

/** A driver with several nodes, of which the first one hides a log of each receipt of three while it lies. */
function driverWithLiar(providers: number, isLying: () => boolean): Driver {
  const { context } = world.driver();
  const [url = ''] = context.services.settings.chains.get(CHAIN)?.rpcUrls ?? [];
  const urls = Array.from({ length: providers }, (_, index) => `${url}/?provider=${index}`);
  const rpc = createRpcClient(urls, { chainId: CHAIN, batchSize: 50, timeoutMs: 2_000 });
  const hiding: Hook = async (request, next) => {
    const reply = await next();
    const isLie = isLying() && request.url.includes('provider=0') && request.body.includes('eth_getTransactionReceipt');
    if (!isLie) return reply;
    return Response.json(JSON.parse(await reply.text(), withoutThird));
  };
  return world.driver(hiding, 500, { ...context, chain: { ...context.chain, rpc } });
}

it.each([1, 2, 3])('one of %i nodes that hides a log has nothing minted again', async (providers) => {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(3);
  // Nothing that can be minted twice shares a transaction where there is a single node: there may have been more.
  await driverWithLiar(2, () => false).until(async () => (await statusOf(ids[2] ?? '')) === 'SENT');
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  let isLying = true;
  const driver = driverWithLiar(providers, () => isLying);
  for (let blocks = 0; blocks < 3 * FINALITY; blocks += 1) {
    await driver.run();
    await world.chain.mine({ blocks: 1 });
  }
  for (const id of ids) expect(await world.order(id)).toMatchObject({ earlier_bundle_id: null });
  driver.clock.ahead += 60_000;
  await driver.run();
  const { rows } = await world.pool.query('select state from lanes');
  expect(rows).toEqual([{ state: providers < 3 ? 'stuck' : 'ok' }]);
  isLying = false;
  // As much later as it was doubted.
  driver.clock.ahead += 120_000;
  await finish(driver);
  await world.expectMintedOnce(ids);
  expect((await mintersOf(ids)).size).toBe(1);
});

it('what waited while a node was out of order shares a transaction afterwards', async () => {
  await world.chain.setAutomine(true);
  const ids = await world.acceptMints(4);
  let isDown = true;
  const driver = world.driver(({ body }, next) =>
    isDown && /eth_call|eth_estimateGas/.test(body)
      ? Promise.resolve(new Response('unavailable', { status: 503 }))
      : next(),
  );
  await driver.until(async () => (await world.order(ids[0] ?? ''))['hold_reason'] === 'not-now');
  isDown = false;
  await world.makeDue();
  await finish(driver);
  await world.expectMintedOnce(ids);
  expect((await mintersOf(ids)).size).toBe(1);
});

it('what no node simulates together goes alone after half an hour', async () => {
  await world.chain.setAutomine(true);
  const ids = await world.acceptMints(2);
  const driver = world.driver(({ body }, next) =>
    body.includes('"eth_call"') ? Promise.resolve(new Response('too large', { status: 413 })) : next(),
  );
  await driver.until(async () => (await world.order(ids[0] ?? ''))['hold_reason'] === 'not-now');
  driver.clock.ahead += 30 * 60_000;
  await world.makeDue();
  await finish(driver);
  await world.expectMintedOnce(ids);
  expect((await mintersOf(ids)).size).toBe(2);
});

it('mints on a contract that this service did not deploy go alone', async () => {
  await world.chain.setAutomine(true);
  const register = (block: number | null) => world.pool.query('update contracts set registered_at_block = $1', [block]);
  await register(1);
  const ids = await world.acceptMints(2);
  await finish(world.driver());
  await register(null);
  await world.expectMintedOnce(ids);
  expect((await mintersOf(ids)).size).toBe(2);
});

it('one free nonce is enough for all that is waiting', async () => {
  await world.chain.setAutomine(false);
  const driver = world.driver();
  for (let sent = 0; sent < 3; sent += 1) {
    const [id = ''] = await world.acceptMints(1);
    driver.wakes.raise();
    await driver.until(async () => (await statusOf(id)) === 'SENT');
  }
  const ids = await world.acceptMints(20);
  driver.wakes.raise();
  await driver.until(async () => (await Promise.all(ids.map(statusOf))).every((status) => status === 'SENT'));
  await finish(driver);
  await world.expectMintedOnce(ids);
  expect((await mintersOf(ids)).size).toBe(1);
});

it('an order that the database refuses to sign stops none of those that it would have shared a transaction with', async () => {
  await world.chain.setAutomine(true);
  const [rejected = '', ...others] = await world.acceptMints(4);
  const { id } = await world.order(rejected);
  await world.pool.query(
    `create function reject() returns trigger language plpgsql as $$ begin raise exception 'rejected'; end $$;
     create trigger reject before update on orders for each row
       when (new.id = '${String(id)}' and new.state = 'signed') execute function reject()`,
  );
  const driver = world.driver();
  await driver.until(async () => (await Promise.all(others.map(statusOf))).every((status) => status === 'CONFIRMED'));
  expect(await world.order(rejected)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
  await world.pool.query('drop trigger reject on orders; drop function reject()');
  await world.makeDue();
  await finish(driver);
  await world.expectMintedOnce([rejected, ...others]);
});

describe('a cancellation of what is in flight with others', () => {
  it('of one changes nothing if its receipt has the effect', async () => {
    const { ids, driver, hash } = await inPool(3);
    await cancel(ids[1] ?? '');
    driver.wakes.raise();
    await finish(driver);
    await world.expectMintedOnce(ids);
    for (const id of ids) expect(await world.order(id)).toMatchObject({ tx_hash: hash });
  });

  it('of all replaces the transaction, and none is minted', async () => {
    const { ids, driver } = await inPool(3);
    for (const id of ids) await cancel(id);
    driver.wakes.raise();
    await driver.until(async () => (await world.attempts(ids[0] ?? '')).length > 1);
    await finish(driver);
    for (const id of ids) {
      expect(await world.order(id)).toMatchObject({ status: 'CANCELLED', error_message: 'Cancelled' });
      expect(await eventsOf(id)).toEqual(['mint.cancelled']);
    }
  });

  it('before anything is signed leaves it out', async () => {
    const ids = await world.acceptMints(4);
    const [first = '', ...others] = ids;
    await cancel(first);
    await finish(world.driver());
    expect(await statusOf(first)).toBe('CANCELLED');
    await world.expectMintedOnce(others);
  });
});

it('a wallet that can pay for some mints those, and holds the others', async () => {
  await world.chain.setAutomine(true);
  const ids = await world.acceptMints(4);
  const { baseFeePerGas } = await world.chain.getBlock();
  const offer = 2n * (baseFeePerGas ?? 0n) + (await world.chain.estimateMaxPriorityFeePerGas());
  const balance = await world.chain.getBalance({ address: world.wallet });
  await world.chain.setBalance({ address: world.wallet, value: (26_000n + 2n * 31_200n + 10_000n) * offer });
  const driver = world.driver();
  await driver.until(async () => {
    await world.chain.mine({ blocks: 1 });
    const reasons = await Promise.all(ids.map(async (id) => (await world.order(id))['hold_reason']));
    return reasons.includes('funds');
  });
  const held = (await Promise.all(ids.map((id) => world.order(id)))).filter(
    (transaction) => transaction['hold_reason'] === 'funds',
  );
  expect(held).toHaveLength(2);
  await world.chain.setBalance({ address: world.wallet, value: balance });
  await world.makeDue();
  await finish(driver);
  await world.expectMintedOnce(ids);
});

it('a limit on the spend of a day lets as many share a transaction as it has room for, to the wei', async () => {
  await world.chain.setAutomine(false);
  const signedOf = async (ids: readonly string[]) => {
    const states = await Promise.all(ids.map(async (id) => (await world.order(id))['state']));
    return states.filter((state) => state === 'signed').length;
  };
  const spent = async () => {
    const { rows } = await world.pool.query('select coalesce(sum(spent_wei), 0)::text as wei from orders');
    return BigInt(rows[0].wei);
  };
  const limit = async (perDay: bigint | null) => {
    const { db } = world.driver().context.services;
    const spend = { [CHAIN]: { perDay: perDay === null ? null : String(perDay), perOrder: null, gasPrice: null } };
    await storeLimits(db, 'c', { ...NO_LIMITS, spend }, new Date());
    await releaseHeld(db, { accountId: world.accountId }, 'limit', new Date());
  };
  const driver = world.driver();
  const before = await spent();
  const unlimited = await world.acceptMints(6);
  await driver.until(async () => (await signedOf(unlimited)) === 6);
  const six = (await spent()) - before;
  const perDay = before + 2n * six - 1n;
  await limit(perDay);
  const limited = await world.acceptMints(6);
  await driver.until(async () => (await signedOf(limited)) === 5);
  expect(await spent()).toBeLessThanOrEqual(perDay);
  const reasons = await Promise.all(limited.map(async (id) => (await world.order(id))['hold_reason']));
  expect(reasons.filter((reason) => reason !== null)).toEqual(['limit']);
  await limit(null);
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await finish(driver);
  await world.expectMintedOnce([...unlimited, ...limited]);
  expect((await mintersOf(limited)).size).toBe(2);
});

it('kinds that share transactions have no check and no third party, so that the contract alone decides', () => {
  const sharing = [...orderKinds.values()].filter(({ bundling }) => bundling !== null);
  expect(sharing.map(({ name }) => name)).toEqual(['mint']);
  expect(sharing.map(({ check, findForeignEffect }) => [check, findForeignEffect])).toEqual([[null, null]]);
});
