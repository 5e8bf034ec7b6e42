import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei } from 'viem';
import { pauseAccount, pauseChain, resumeAccount, resumeChain } from '../../src/admin/pauses.store.ts';
import { holdPaused, releaseHeld, type Paused } from '../../src/engine/store/pauses.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';

const chainId = '43114';

let world: World;
beforeAll(async () => {
  world = await startWorld({}, true);
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
});

const db = () => world.driver().context.services.db;

const account = {
  pause: () => pauseAccount(db(), 'c', new Date()),
  resume: () => resumeAccount(db(), 'c'),
  scope: (): Paused => ({ accountId: world.accountId }),
};
const chain = {
  pause: () => pauseChain(db(), chainId, new Date()),
  resume: () => resumeChain(db(), chainId),
  scope: (): Paused => ({ chainId }),
};

async function pause({ pause: store, scope }: typeof account | typeof chain) {
  await store();
  await holdPaused(db(), world.driver().context.services.hooks, scope(), new Date());
}

async function resume({ resume: remove, scope }: typeof account | typeof chain) {
  await remove();
  return await releaseHeld(db(), scope(), 'paused', new Date());
}

const statesOf = async (ids: readonly string[]) =>
  await Promise.all(ids.map(async (id) => (await world.order(id))['state']));

describe.each([
  ['an account', account],
  ['a chain', chain],
])('a pause of %s', (_, what) => {
  it('lets signed orders be mined, and holds later ones until it ends', async () => {
    await world.chain.setAutomine(false);
    const early = await world.acceptMints(3);
    const driver = world.driver();
    await driver.until(async () => (await statesOf(early)).every((state) => state === 'signed'));
    await pause(what);
    const late = await world.acceptMints(2);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await statesOf(early)).every((state) => state === 'confirmed'));
    await world.makeDue();
    await driver.run();
    for (const id of late) {
      expect(await world.order(id)).toMatchObject({ state: 'waiting', nonce: null, hold_reason: 'paused' });
      expect(await world.attempts(id)).toEqual([]);
    }
    expect(await resume(what)).toEqual([{ chainId, walletAddress: world.wallet.toLowerCase() }]);
    for (const id of late) expect(await world.order(id)).toMatchObject({ hold_reason: null, held_since: null });
    await driver.finish();
    await world.expectMintedOnce([...early, ...late]);
  });

  it('replaces a signed transaction that offers too little', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(2);
    const [id = ''] = ids;
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['state'] === 'signed');
    await pause(what);
    await world.chain.dropTransaction({ hash: (await world.attempts(id))[0]?.['hash'] as `0x${string}` });
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('40') });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.attempts(id)).length > 1);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce(ids);
    await resume(what);
  });

  it('keeps a driver that claimed before it from signing after it', async () => {
    const ids = await world.acceptMints(2);
    let stores = 0;
    const pausesFirst: Hook = async (request, next) => {
      if (!request.body.includes('store-attempts')) return next();
      stores += 1;
      await pause(what);
      return next();
    };
    const driver = world.driver(pausesFirst);
    await driver.run();
    expect(stores).toBe(1);
    expect(await statesOf(ids)).toEqual(['waiting', 'waiting']);
    for (const id of ids) expect(await world.attempts(id)).toEqual([]);
    await resume(what);
    await world.driver().finish();
    await world.expectMintedOnce(ids);
  });

  it('hides no lack of funds, and stops the time after which an order expires for it', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1n });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['hold_reason'] === 'funds');
    await pause(what);
    await world.pool.query("update orders set held_since = now() - interval '90 days' where order_id = $1", [id]);
    await world.makeDue();
    await driver.run();
    const detail = expect.stringMatching(/^The wallet .*\. The operator has paused the (account|chain)$/);
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'funds', hold_detail: detail });
    await resume(what);
    await world.driver().run();
    expect(await world.order(id)).toMatchObject({
      state: 'waiting',
      hold_reason: 'funds',
      hold_detail: expect.not.stringContaining('paused'),
    });
    await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it('keeps no customer from cancelling', async () => {
    await pause(what);
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query('update orders set cancel_requested_at = now() where order_id = $1', [id]);
    await world.driver().finish();
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
    await resume(what);
  });
});

it('an account that is paused on a paused chain waits until both are resumed', async () => {
  await pause(account);
  await pause(chain);
  const ids = await world.acceptMints(1);
  const driver = world.driver();
  await driver.run();
  await resume(account);
  await driver.run();
  expect(await world.order(ids[0] ?? '')).toMatchObject({
    state: 'waiting',
    hold_reason: 'paused',
    hold_detail: 'The operator has paused the chain',
  });
  await resume(chain);
  await driver.finish();
  await world.expectMintedOnce(ids);
});
