import { encodeFunctionData, zeroAddress, type Address, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { compareDatabase } from '../../cli/compare/compare-database.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { cancelOrder } from '../../src/orders/cancel-order.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import type { TenantServices } from '../../src/services.ts';
import { backUpTables, restoreTables } from './backups.ts';
import { startWorld, type Driver, type World } from './lane-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('wallet.nonce_suspect');

const CHAIN = '43114';
const TABLES = ['orders', 'attempts', 'lanes', 'webhook_events', 'webhook_deliveries'] as const;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
});

const backUp = () => backUpTables(world.pool, TABLES);
/** Drivers do not notice by the epoch. */
const setBack = () => restoreTables(world.pool, TABLES);

/** @param since How far back blocks are read; the first block, so that nothing depends on how long a test takes. */
function compare(since = new Date(0)) {
  const { DATABASE_URL, NEON_FETCH_ENDPOINT, chains } = world.driver().context.services.settings;
  const [url = ''] = chains.get(CHAIN)?.rpcUrls ?? [];
  const rpcUrls = new Map([[chainDefinition(CHAIN), [url]]]);
  return compareDatabase({ DATABASE_URL, NEON_FETCH_ENDPOINT, rpcUrls, since, adopt: true });
}

const units = async (id: string) => {
  const { contract_address: address, receiver_address: receiver, token_id: tokenId } = await world.order(id);
  const args = [receiver as Address, BigInt(String(tokenId))] as const;
  return await world.chain.readContract({
    ...standard1155,
    address: address as Address,
    functionName: 'balanceOf',
    args,
  });
};

async function runOften(driver: Driver, times = 5): Promise<void> {
  for (let run = 0; run < times; run += 1) {
    await world.makeDue();
    await driver.run();
  }
}

/** A lane that has carried out an order before, whatever became of the lane in other tests. */
async function usedLane(): Promise<Driver> {
  const [id = ''] = await world.acceptMints(1);
  const driver = world.driver();
  await driver.finish();
  await world.expectMintedOnce([id]);
  return driver;
}

/** Expects a lane to say why it stands still, and that nothing was signed. */
async function expectToWait(driver: Driver, id: string, reason: RegExp): Promise<void> {
  await runOften(driver);
  expect(await units(id)).toBe(1n);
  const detail: unknown = expect.stringMatching(reason);
  expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'paused', hold_detail: detail });
  const { rows } = await world.pool.query('select state, reason from lanes');
  expect(rows).toEqual([{ state: 'stuck', reason: detail }]);
  expect(driver.events).toContainEqual({
    level: 'warn',
    event: 'lane.stuck',
    fields: expect.objectContaining({ reason: detail }),
  });
}

async function expectReleased(driver: Driver, ids: readonly string[]): Promise<void> {
  await world.chain.setAutomine(true);
  expect((await compare()).adopted).toBe(true);
  const [later = ''] = await world.acceptMints(1);
  await world.makeDue();
  await driver.finish();
  await world.expectMintedOnce([...ids, later]);
}

const contractOf = async (id: string) => (await world.order(id))['contract_address'] as Address;

async function call(to: Address, data: Hex): Promise<void> {
  const account = { id: world.accountId, corporateId: 'c', secretManagerKeyId: 'key', walletAddress: world.wallet };
  const signer = await world.driver().context.services.loadSigner(account);
  const serializedTransaction = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(CHAIN),
    nonce: await world.chain.getTransactionCount({ address: world.wallet }),
    to,
    data,
    gas: 200_000n,
    ...(await world.chain.estimateFeesPerGas()),
  });
  await world.chain.sendRawTransaction({ serializedTransaction });
}

const mint = (tokenId: bigint) =>
  encodeFunctionData({ ...standard1155, functionName: 'mint', args: [world.wallet, tokenId, 1n] });

const COMMAND = /npm run nft -- compare --adopt$/;

describe('a database that is set back where it is, before an order was signed that was carried out since', () => {
  it('has nothing signed by the driver that signed it, until it is compared with the chain', async () => {
    const driver = await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    await driver.finish();
    await setBack();
    await expectToWait(driver, id, COMMAND);
    await expectReleased(driver, [id]);
  });

  it('has nothing signed by that driver while the transaction is in a pool', async () => {
    const driver = await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    await world.chain.setAutomine(false);
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    await setBack();
    const [other = ''] = await world.acceptMints(1);
    await runOften(driver);
    expect(await world.attempts(id)).toEqual([]);
    expect(await world.attempts(other)).toEqual([]);
    await world.chain.mine({ blocks: 1 });
    await expectToWait(driver, id, COMMAND);
    await expectReleased(driver, [id, other]);
  });

  it('has nothing signed by the next instance of its object, whose storage tells', async () => {
    let stored: number | undefined;
    const storage = { read: () => stored, write: (signedAt: number) => void (stored = signedAt) };
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    await world.chain.setAutomine(false);
    let isStoredFirst = false;
    const first = world.driver(
      async ({ body }, next) => {
        if (body.includes('eth_sendRawTransaction')) {
          const { rows } = await world.pool.query('select 1 from lanes where signed_at = $1', [new Date(stored ?? 0)]);
          isStoredFirst = rows.length === 1;
        }
        return await next();
      },
      500,
      undefined,
      storage,
    );
    await first.until(async () => (await world.order(id))['status'] === 'SENT');
    expect(isStoredFirst).toBe(true);
    await setBack();
    const driver = world.driver(undefined, 500, undefined, storage);
    await runOften(driver);
    expect(await world.attempts(id)).toEqual([]);
    await world.chain.mine({ blocks: 1 });
    await expectToWait(driver, id, COMMAND);
    await expectReleased(driver, [id]);
  });

  it.each([
    ['knows', (stored: number | undefined) => stored],
    ['has lost its storage, and does not know', () => undefined],
  ])('has nothing cancelled by a request while the transaction is in a pool and its object %s', async (_, read) => {
    let stored: number | undefined;
    const storage = { read: () => stored, write: (signedAt: number) => void (stored = signedAt) };
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    await world.chain.setAutomine(false);
    const first = world.driver(undefined, 500, undefined, storage);
    await first.until(async () => (await world.order(id))['status'] === 'SENT');
    await setBack();
    const { services } = world.driver(undefined, 500, undefined, { ...storage, read: () => read(stored) });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- has what cancelling uses of the services
    const tenant = {
      ...services,
      actor: { type: 'operator' },
      db: tenantOf(services.db, world.accountId),
    } as unknown as TenantServices;
    expect((await cancelOrder(tenant, [mintKind], id)).transaction).toMatchObject({ state: 'waiting' });
    const driver = world.driver(undefined, 500, undefined, storage);
    await runOften(driver);
    expect(await world.order(id)).toMatchObject({ status: 'PROCESSING' });
    await world.chain.mine({ blocks: 1 });
    await expectToWait(driver, id, COMMAND);
    await expectReleased(driver, [id]);
  });

  it('has nothing stored by an instance of its object that another one has replaced', async () => {
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    let isReplaced = false;
    const write = () => {
      if (isReplaced) throw new Error('This object was moved; its storage is closed.');
    };
    const driver = world.driver(
      async ({ body }, next) => {
        isReplaced ||= body.includes('eth_estimateGas');
        return await next();
      },
      500,
      undefined,
      { read: () => undefined, write },
    );
    await expect(driver.run()).rejects.toThrow('its storage is closed');
    expect(isReplaced).toBe(true);
    expect(await world.attempts(id)).toEqual([]);
    await expectReleased(world.driver(), [id]);
  });

  it('has nothing signed in the run of that driver which has already begun', async () => {
    const driver = await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    let isBack = false;
    const running = world.driver(
      async ({ body }, next) => {
        const reply = await next();
        if (!isBack && body.includes('eth_sendRawTransaction')) {
          isBack = true;
          await setBack();
          await world.makeDue();
          running.wakes.raise();
        }
        return reply;
      },
      4_000,
      driver.context,
    );
    await running.run();
    expect(isBack).toBe(true);
    await expectToWait(running, id, COMMAND);
    await expectReleased(running, [id]);
  });

  it('has nothing stored that was claimed before', async () => {
    const driver = await usedLane();
    const [first = '', second = ''] = await world.acceptMints(2);
    await world.pool.query("update orders set next_try_at = now() + interval '1 hour' where order_id = $1", [second]);
    await backUp();
    await driver.until(async () => (await world.order(first))['status'] === 'CONFIRMED');
    await world.makeDue();
    let isBack = false;
    const storing = world.driver(
      async ({ body }, next) => {
        if (!isBack && body.includes('/* store-attempts */')) {
          await setBack();
          isBack = true;
        }
        return await next();
      },
      500,
      driver.context,
    );
    await storing.run();
    expect(isBack).toBe(true);
    expect(await world.attempts(second)).toEqual([]);
    await expectToWait(storing, first, COMMAND);
    await expectReleased(storing, [first, second]);
  });

  it('has nothing signed by a driver that knows of nothing, since the chain shows what the database lacks', async () => {
    const [id = ''] = (await usedLane(), await world.acceptMints(1));
    await backUp();
    await world.driver().finish();
    await setBack();
    const driver = world.driver();
    await expectToWait(driver, id, COMMAND);
    expect(driver.events.map(({ event }) => event)).toContain('wallet.nonce_suspect');
    // However long it goes on, and whoever uses the wallet meanwhile.
    for (let used = 0; used < 40; used += 1) {
      await world.useNonceElsewhere();
      await driver.run();
    }
    await expectToWait(world.driver(), id, COMMAND);
    await expectReleased(driver, [id]);
  });

  it('has nothing signed where somebody has used the wallet elsewhere before the transaction that it lacks', async () => {
    const driver = await usedLane();
    await world.chain.mine({ blocks: 1 });
    const [id = ''] = await world.acceptMints(1);
    await backUp();
    await world.useNonceElsewhere();
    await driver.finish();
    await world.expectMintedOnce([id]);
    await world.chain.mine({ blocks: 1 });
    await setBack();
    const next = world.driver();
    await expectToWait(next, id, COMMAND);
    expect(next.events.map(({ event }) => event)).toContain('wallet.nonce_used_elsewhere');
    await expectReleased(next, [id]);
  });

  it('goes on by itself with orders that were accepted after all that it lacks', async () => {
    const driver = await usedLane();
    await backUp();
    const [lost = ''] = await world.acceptMints(1);
    await driver.finish();
    await world.expectMintedOnce([lost]);
    await setBack();
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query("update orders set created_at = now() + interval '5 minutes' where order_id = $1", [id]);
    await driver.finish();
    await expectReleased(driver, [id]);
  });
});

describe('somebody who uses the wallet elsewhere', () => {
  it.each<[string, (contract: Address) => Promise<void>]>([
    ['for a transfer', () => world.useNonceElsewhere()],
    ['for an authorization', () => world.useNonceByAuthorization()],
    ['for a call of another contract', () => call(zeroAddress, mint(900_000n))],
    ['for a call of another function of the same contract', (contract) => call(contract, '0x12345678')],
  ])('%s keeps no order waiting', async (_, use) => {
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await use(await contractOf(id));
    const driver = world.driver();
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(driver.events.map(({ event }) => event)).toContain('wallet.nonce_used_elsewhere');
    // It is asked once, however often the lane's object is another one.
    const [later = ''] = await world.acceptMints(1);
    const next = world.driver();
    await next.finish();
    await world.expectMintedOnce([later]);
    expect(next.events.map(({ event }) => event)).not.toContain('wallet.nonce_used_elsewhere');
  });

  it('for a mint before an order was accepted does not keep that order waiting', async () => {
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await call(await contractOf(id), mint(900_001n));
    await world.pool.query("update orders set created_at = now() + interval '1 hour' where order_id = $1", [id]);
    const driver = world.driver();
    await driver.finish();
    await expectReleased(driver, [id]);
  });

  it('for a mint that may be that of an order keeps it waiting until the database is compared with the chain', async () => {
    await usedLane();
    const [id = ''] = await world.acceptMints(1);
    await call(await contractOf(id), mint(900_002n));
    const driver = world.driver();
    await runOften(driver);
    expect(await world.attempts(id)).toEqual([]);
    await expectReleased(driver, [id]);
  });
});
