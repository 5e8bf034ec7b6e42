import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keccak256, parseEther, parseGwei, parseTransaction, type Hex } from 'viem';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

const FINALITY = 6;

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: String(FINALITY) });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 1 });
});

const isCallOf =
  (method: string, effect: Hook): Hook =>
  (request, next) =>
    request.body.includes(method) ? effect(request, next) : next();

const refused: Hook = () => Promise.resolve(new Response('unavailable', { status: 503 }));

/** A driver whose signed transactions reach no node. */
const cutOff = () => world.driver(isCallOf('eth_sendRawTransaction', refused));

const runFor = (driver: Driver, milliseconds: number) => {
  const until = Date.now() + milliseconds;
  return driver.until(() => Promise.resolve(Date.now() > until));
};

const stateOf = async (id: string) => (await world.order(id))['state'];
const rawOf = (attempt: Record<string, unknown> | undefined) => String(attempt?.['raw']) as Hex;

/** An order that is signed and has not reached a node. */
async function signedOrder(): Promise<string> {
  const [id = ''] = await world.acceptMints(1);
  await cutOff().until(async () => (await stateOf(id)) === 'signed');
  return id;
}

describe('a nonce that a foreign transaction used', () => {
  it('is kept while that block can be reorganized out, and given up once it is final', async () => {
    const id = await signedOrder();
    const before = await world.order(id);
    await world.useNonceElsewhere();
    const driver = world.driver();
    // Longer than a driver waits before it searches for a foreign transaction.
    await runFor(driver, 5_000);
    expect(await world.order(id)).toMatchObject({ state: 'signed', nonce: before['nonce'] });
    expect(driver.events.map(({ event }) => event)).not.toContain('transaction.nonce_lost');
    await world.chain.mine({ blocks: FINALITY });
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(driver.events.map(({ event }) => event)).toContain('transaction.nonce_lost');
    expect(await world.attempts(id)).toHaveLength(2);
  });

  it('by an authorization of the wallet, without a transaction, is given up once that is final', async () => {
    const id = await signedOrder();
    await world.useNonceByAuthorization();
    await world.chain.mine({ blocks: FINALITY });
    const driver = world.driver();
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(driver.events.map(({ event }) => event)).toContain('transaction.nonce_lost');
  });

  it('is not assigned again when a lagging node does not count it yet', async () => {
    const id = await signedOrder();
    const used = Number((await world.order(id))['nonce']);
    await world.useNonceElsewhere();
    await world.chain.mine({ blocks: FINALITY });
    await world.driver().finish();
    await world.expectMintedOnce([id]);
    const [next = ''] = await world.acceptMints(1);
    const lagging = isCallOf('eth_getTransactionCount', async (request, next_) => {
      const calls = JSON.parse(request.body) as { id: number; method: string }[];
      const count = calls.find(({ method }) => method === 'eth_getTransactionCount')?.id;
      const body = (await (await next_()).json()) as { id: number }[];
      return Response.json(body.map((one) => (one.id === count ? { ...one, result: `0x${used.toString(16)}` } : one)));
    });
    await world.driver(lagging).run();
    expect(Number((await world.order(next))['nonce'])).toBeGreaterThan(used + 1);
    await world.driver().finish();
    await world.expectMintedOnce([next]);
    expect(await world.attempts(next)).toHaveLength(1);
  });
});

describe('a nonce that an attempt of its own transaction used', () => {
  it('is not given up if the database has lost the attempt, which is stored again', async () => {
    const id = await signedOrder();
    const raw = rawOf((await world.attempts(id))[0]);
    const lost = await world.signedWith(raw, { maxFeePerGas: parseGwei('9') });
    await world.chain.sendRawTransaction({ serializedTransaction: lost });
    await world.chain.mine({ blocks: FINALITY });
    const driver = world.driver();
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(await world.order(id)).toMatchObject({ tx_hash: keccak256(lost) });
    expect((await world.attempts(id)).map(rawOf)).toEqual([raw, lost]);
    expect(driver.events.map(({ event }) => event)).toContain('transaction.adopted');
  });

  it('is never given up, whichever attempt it was, while a node does not show the receipt', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    let isHidden = false;
    const hiding = isCallOf('eth_getTransactionReceipt', async (_, next) => {
      const body = (await (await next()).json()) as { id: number } | { id: number }[];
      if (!isHidden) return Response.json(body);
      return Response.json(
        Array.isArray(body) ? body.map((one) => ({ ...one, result: null })) : { ...body, result: null },
      );
    });
    const driver = world.driver(hiding);
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    const [first] = await world.attempts(id);
    const baseFeePerGas = BigInt(String(first?.['max_fee_per_gas'])) + parseGwei('2');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.attempts(id)).length > 1);
    // The first attempt is mined after all, and no node returns its receipt.
    isHidden = true;
    const [, second] = await world.attempts(id);
    await world.chain.dropTransaction({ hash: String(second?.['hash']) as Hex });
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
    await world.chain.sendRawTransaction({ serializedTransaction: rawOf(first) });
    await world.chain.mine({ blocks: 1 });
    await world.chain.mine({ blocks: FINALITY });
    expect(await world.chain.getTransactionReceipt({ hash: String(first?.['hash']) as Hex })).toBeDefined();
    await runFor(driver, 5_000);
    expect(await stateOf(id)).toBe('signed');
    expect(driver.events.map(({ event }) => event)).not.toContain('transaction.nonce_lost');
    isHidden = false;
    await world.chain.setAutomine(true);
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(await world.order(id)).toMatchObject({ tx_hash: first?.['hash'] });
  });
});

describe('a replacement', () => {
  it('repeats target, data, value and nonce of the stored bytes, whatever another version of the service would sign', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    await world.driver().until(async () => (await world.order(id))['status'] === 'SENT');
    const [first] = await world.attempts(id);
    const baseFeePerGas = BigInt(String(first?.['max_fee_per_gas'])) + parseGwei('2');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    const { context } = world.driver();
    const mint = context.kinds.get('mint');
    if (mint === undefined) throw new Error('There is no kind mint');
    const other = { ...mint, call: () => ({ to: world.wallet, data: '0x1234' as const }) };
    const newer = world.driver(undefined, 500, { ...context, kinds: new Map([...context.kinds, ['mint', other]]) });
    // It first observes the bytes one block earlier.
    await newer.run();
    await world.chain.mine({ blocks: 1 });
    await newer.until(async () => (await world.attempts(id)).length > 1);
    const [before, after] = (await world.attempts(id)).map((attempt) => parseTransaction(rawOf(attempt)));
    const { maxFeePerGas: _, maxPriorityFeePerGas: __, r: ___, s: ____, v, yParity, ...same } = before ?? {};
    expect([v, yParity]).toBeDefined();
    expect(after).toMatchObject(same);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await world.driver().finish();
    await world.expectMintedOnce([id]);
  });
});
