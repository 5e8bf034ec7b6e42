import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { SigningKeyError } from '../../src/engine/signer.ts';
import type { SigningKeys } from '../../src/accounts/signing-keys.ts';
import { startWorld, type Driver, type World } from './lane-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('lane.key_unavailable');

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
afterEach(() => world.pool.query("update corporate_accounts set status = 'ACTIVE'"));

const deactivate = () => world.pool.query("update corporate_accounts set status = 'INACTIVE'");
const isSent = (id: string) => async () => (await world.order(id))['status'] === 'SENT';

/** As if an order had been held for longer than a day. */
async function holdForADay(id: string): Promise<void> {
  await world.pool.query("update orders set held_since = now() - interval '25 hours' where order_id = $1", [id]);
  await world.makeDue();
}

/** A driver whose secrets store answers as the test says. */
function driverWith(keys: (stored: SigningKeys) => SigningKeys): Driver {
  const { context, services: own } = world.driver();
  const signingKeys = keys(own.keys);
  const loadSigner: SigningKeys['loadSigner'] = (account) => signingKeys.loadSigner(account);
  const services = { ...context.services, loadSigner };
  return world.driver(undefined, 500, { ...context, services });
}

describe('an account that becomes INACTIVE', () => {
  it('has what is signed replaced and mined, and gets no first signature', async () => {
    await world.chain.setAutomine(false);
    const [signed = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(isSent(signed));
    await deactivate();
    const [held = ''] = await world.acceptMints(1);
    const [attempt] = await world.attempts(signed);
    const baseFeePerGas = BigInt(String(attempt?.['max_fee_per_gas'])) + parseGwei('2');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.attempts(signed)).length > 1);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.order(signed))['status'] === 'CONFIRMED');
    expect(await world.order(held)).toMatchObject({ state: 'waiting', nonce: null, hold_reason: 'inactive' });
    expect(await world.attempts(held)).toEqual([]);
    await world.pool.query("update corporate_accounts set status = 'ACTIVE'");
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([signed, held]);
  });

  it('has what its customer cancels replaced by a cancel', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(isSent(id));
    await deactivate();
    await world.pool.query('update orders set cancel_requested_at = now() where order_id = $1', [id]);
    driver.wakes.raise();
    await driver.until(async () => (await world.attempts(id)).length > 1);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  });

  it('has its orders FAILED after a day, none of them ever signed; a day before it became that does not count', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ hold_reason: 'funds' });
    await deactivate();
    await holdForADay(id);
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'inactive' });
    await holdForADay(id);
    await driver.run();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', error_message: 'The account is INACTIVE' });
    expect(await world.attempts(id)).toEqual([]);
  });
});

describe("a wallet's secret", () => {
  it('that is not its key keeps orders waiting, unsigned, and they are carried out once it is again', async () => {
    const ids = await world.acceptMints(3);
    let isWrong = true;
    const driver = driverWith((stored) => ({
      loadSigner: (account) =>
        isWrong ? Promise.reject(new SigningKeyError('The secret is of another wallet')) : stored.loadSigner(account),
    }));
    await driver.run();
    for (const id of ids) {
      expect(await world.order(id)).toMatchObject({
        state: 'waiting',
        nonce: null,
        hold_reason: 'not-now',
        hold_detail: 'The secret is of another wallet',
      });
    }
    isWrong = false;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('that is not its key for a day has them FAILED, and says so', async () => {
    const [id = ''] = await world.acceptMints(1);
    const driver = driverWith(() => ({
      loadSigner: () => Promise.reject(new SigningKeyError('The secret is of another wallet')),
    }));
    await driver.run();
    await holdForADay(id);
    await driver.run();
    expect(await world.order(id)).toMatchObject({
      status: 'FAILED',
      error_message: 'The secret is of another wallet',
    });
  });

  it('of another wallet, which the account has been given meanwhile, signs nothing with the nonces of this one', async () => {
    const [id = ''] = await world.acceptMints(1);
    const other = privateKeyToAccount(generatePrivateKey());
    const driver = driverWith(() => ({ loadSigner: () => Promise.resolve(other) }));
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', nonce: null, hold_reason: 'not-now' });
    expect(await world.attempts(id)).toEqual([]);
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });

  it('that cannot be read when bytes are to be replaced keeps no other order from its end', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(2);
    let isDown = false;
    let asked = 0;
    const driver = driverWith((stored) => ({
      loadSigner(account) {
        asked += 1;
        return isDown ? Promise.reject(new Error('The secrets store answered 500')) : stored.loadSigner(account);
      },
    }));
    await driver.until(isSent(ids[1] ?? ''));
    isDown = true;
    const [attempt] = await world.attempts(ids[0] ?? '');
    const baseFeePerGas = BigInt(String(attempt?.['max_fee_per_gas'])) + parseGwei('2');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    asked = 0;
    await driver.run();
    await driver.run();
    expect(asked).toBe(1);
    expect(driver.events.filter(({ event }) => event === 'lane.key_unavailable')).toHaveLength(1);
    isDown = false;
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('that does not sign every time signs nothing twice and leaves no gap: what follows waits for its turn', async () => {
    const ids = await world.acceptMints(30);
    let signatures = 0;
    const driver = driverWith((stored) => ({
      async loadSigner(account) {
        const signer = await stored.loadSigner(account);
        return {
          address: signer.address,
          signTransaction(transaction) {
            signatures += 1;
            return signatures % 4 === 0
              ? Promise.reject(new SigningKeyError('KMS refused the key'))
              : signer.signTransaction(transaction);
          },
        };
      },
    }));
    await driver.finish();
    await world.expectMintedOnce(ids);
    const attempts = await Promise.all(ids.map(async (id) => await world.attempts(id)));
    const nonces = attempts.flat().map(({ nonce }) => Number(nonce));
    const first = Math.min(...nonces);
    expect(nonces.toSorted((a, b) => a - b)).toEqual(ids.map((_, index) => first + index));
  });

  it('that signs nothing for a day has orders FAILED with the reason, and no others', async () => {
    const [id = ''] = await world.acceptMints(1);
    const driver = driverWith((stored) => ({
      async loadSigner(account) {
        const { address } = await stored.loadSigner(account);
        return { address, signTransaction: () => Promise.reject(new SigningKeyError('KMS refused the key')) };
      },
    }));
    await driver.run();
    expect(await world.order(id)).toMatchObject({
      state: 'waiting',
      nonce: null,
      hold_reason: 'not-now',
      hold_detail: 'KMS refused the key',
    });
    await holdForADay(id);
    await driver.run();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', error_message: 'KMS refused the key' });
    expect(await world.attempts(id)).toEqual([]);
  });
});
