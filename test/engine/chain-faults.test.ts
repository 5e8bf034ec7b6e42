import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei } from 'viem';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { startWorld } from './lane-world.ts';
import type { Hook, World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setIntervalMining({ interval: 0 });
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 1 });
});

const withMethod =
  (method: string, effect: Hook): Hook =>
  (request, next) =>
    request.body.includes(method) ? effect(request, next) : next();

const without = (one: { result: unknown }) => ({ ...one, result: null });

const small: Hook = async (request, next) => {
  const calls: unknown = request.body.startsWith('[') ? JSON.parse(request.body) : undefined;
  return Array.isArray(calls) && calls.length > 5
    ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batch too large' } })
    : await next();
};

const refused: Hook = () => Promise.resolve(new Response('unavailable', { status: 503 }));

/** A transaction of the wallet that this service did not sign. */
async function strangerTakesNonce(): Promise<void> {
  await world.chain.impersonateAccount({ address: world.wallet });
  await world.chain.sendTransaction({ account: world.wallet, chain: null, to: world.wallet, value: 0n });
  await world.chain.stopImpersonatingAccount({ address: world.wallet });
}

describe('a stranger', () => {
  it('who takes the nonces of signed transactions costs them new nonces, and nothing else', async () => {
    const ids = await world.acceptMints(3);
    const cutOff = world.driver(withMethod('eth_sendRawTransaction', refused));
    const run = cutOff.run();
    await expect.poll(async () => (await world.transaction(ids[0] ?? ''))['state']).toBe('signed');
    await strangerTakesNonce();
    await strangerTakesNonce();
    await world.driver().finish();
    await run;
    await world.expectMintedOnce(ids);
    const attempts = await Promise.all(ids.map((id) => world.attempts(id)));
    expect(attempts.flat()).toHaveLength(5);
    const { rows } = await world.pool.query('select floor from lanes');
    expect(Number(rows[0].floor)).toBeGreaterThan(0);
  });
});

describe('a gap', () => {
  it('that no transaction owns and no order fills is filled, so that what comes after it is mined', async () => {
    const snapshot = await world.chain.snapshot();
    await strangerTakesNonce();
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    // Neither an order that is held nor an account that may not sign keeps the lane from that.
    await world.pool.query("update corporate_accounts set status = 'INACTIVE'");
    const [held = ''] = await world.acceptMints(1);
    // The stranger's transaction is gone with its block: its nonce must be used by somebody else.
    await world.chain.revert({ id: snapshot });
    await world.chain.setAutomine(true);
    await driver.until(async () => (await world.order(id))['status'] === 'CONFIRMED');
    await world.expectMintedOnce([id]);
    const { rows } = await world.pool.query("select state from transactions where kind = 'filler'");
    expect(rows).toEqual([{ state: 'confirmed' }]);
    await world.pool.query("update corporate_accounts set status = 'ACTIVE'");
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([held]);
  });
});

describe('a node', () => {
  it('that shows an impossible count has no nonces handed out by it', async () => {
    const ids = await world.acceptMints(3);
    let lies = 6;
    const lying = withMethod('eth_getTransactionCount', async (request, next) => {
      const reply = await next();
      if (lies === 0) return reply;
      lies -= 1;
      const calls = JSON.parse(request.body) as { id: number; method: string }[];
      const counts = new Set(calls.filter(({ method }) => method === 'eth_getTransactionCount').map(({ id }) => id));
      const body = (await reply.json()) as { id: number }[];
      return Response.json(body.map((one) => (counts.has(one.id) ? { ...one, result: '0xffffffff' } : one)));
    });
    await world.driver(lying).finish();
    await world.expectMintedOnce(ids);
  });

  it('that shows no receipts for a while makes no order fail or start over', async () => {
    const ids = await world.acceptMints(2);
    let hidden = 12;
    const hideReceipts = withMethod('eth_getTransactionReceipt', async (_, next) => {
      const reply = await next();
      if (hidden === 0) return reply;
      hidden -= 1;
      const body = (await reply.json()) as { result: unknown }[] | { result: unknown };
      return Response.json(Array.isArray(body) ? body.map(without) : without(body));
    });
    await world.driver(hideReceipts).finish();
    await world.expectMintedOnce(ids);
    for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
  });

  it('that answers a batch in reverse and leaves some out has no answer taken for another', async () => {
    const ids = await world.acceptMints(30);
    let count = 0;
    const shuffle: Hook = async (_, next) => {
      const reply = await next();
      const body: unknown = await reply
        .clone()
        .json()
        .catch(() => undefined);
      if (!Array.isArray(body)) return reply;
      count += 1;
      return Response.json(body.toReversed().filter((__, index) => count % 3 !== 0 || index % 4 !== 1));
    };
    const onChain: Hook = (request, next) => (request.body.includes('"eth_') ? shuffle(request, next) : next());
    await world.driver(onChain).finish();
    await world.expectMintedOnce(ids);
  });

  it('that takes no batches above five calls is asked in smaller ones', async () => {
    const ids = await world.acceptMints(20);
    await world.driver((request, next) => (request.body.includes('"eth_') ? small(request, next) : next())).finish();
    await world.expectMintedOnce(ids);
  });

  it('that knows no block yet of what an order builds on makes it wait, and not fail', async () => {
    const [id = ''] = await world.acceptMints(1);
    const block = Number(await world.chain.getBlockNumber());
    await world.pool.query('update transactions set not_before_block = $2 where order_id = $1', [id, block + 2]);
    const driver = world.driver();
    await driver.run();
    expect(await world.transaction(id)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    await world.chain.mine({ blocks: 2 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

describe('a pool', () => {
  it('that has the next bytes in line and cannot mine them is given others with that nonce, once', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(3);
    // As anvil does now and then: it has the bytes, and does not count them among what it could mine.
    const forgetful = withMethod('"pending"', async (request, next) => {
      const reply = await next();
      if (!request.body.includes('eth_getTransactionCount')) return reply;
      const body = (await reply.json()) as { id: number };
      const latest = await world.chain.getTransactionCount({ address: world.wallet });
      return Response.json({ ...body, result: `0x${latest.toString(16)}` });
    });
    const driver = world.driver(forgetful);
    await driver.until(async () => (await Promise.all(ids.map((id) => world.attempts(id)))).flat().length > 3);
    const until = Date.now() + 5_000;
    await driver.until(() => Promise.resolve(Date.now() > until));
    expect((await Promise.all(ids.map((id) => world.attempts(id)))).flat()).toHaveLength(4);
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});

describe('a chain that makes no blocks', () => {
  it('is never a reason to offer more', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(2);
    const driver = world.driver();
    const until = Date.now() + 8_000;
    await driver.until(() => Promise.resolve(Date.now() > until));
    for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
    expect(await world.order(ids[0] ?? '')).toMatchObject({ status: 'SENT' });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});

describe('fees', () => {
  it('that rise above an offer have it replaced with the same nonce, and only one of the two is mined', async () => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    const [first] = await world.attempts(id);
    await world.chain.setNextBlockBaseFeePerGas({
      baseFeePerGas: BigInt(String(first?.['max_fee_per_gas'])) + parseGwei('2'),
    });
    await world.chain.mine({ blocks: 1 });
    await driver.until(async () => (await world.attempts(id)).length > 1);
    const [before, after] = await world.attempts(id);
    expect(after?.['nonce']).toBe(before?.['nonce']);
    expect(BigInt(String(after?.['max_fee_per_gas'])) * 8n).toBeGreaterThanOrEqual(
      BigInt(String(before?.['max_fee_per_gas'])) * 9n,
    );
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it('above the cap hold orders, and fail none', async () => {
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('600') });
    await world.chain.mine({ blocks: 1 });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    expect(await world.transaction(id)).toMatchObject({ state: 'waiting', hold_reason: 'fee-cap' });
    expect(driver.events.map(({ event }) => event)).toContain('lane.fee_capped');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await world.chain.mine({ blocks: 1 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

describe('a wallet without funds', () => {
  it('has its orders held, says what is missing, and goes on when it is funded', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const ids = await world.acceptMints(150);
    const driver = world.driver();
    await driver.run();
    expect(await world.transaction(ids[0] ?? '')).toMatchObject({ state: 'waiting', hold_reason: 'funds' });
    expect(String((await world.transaction(ids[149] ?? ''))['hold_detail'])).toMatch(/lacks \d+ wei/);
    const { rows } = await world.pool.query('select state, order_id from lanes');
    await driver.run();
    expect(driver.events.map(({ event }) => event)).toContain('wallet.empty');
    expect(rows).toHaveLength(1);
    await world.chain.setBalance({ address: world.wallet, value: parseEther('10') });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('fails an order that has waited a day, and not one that has a nonce', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    await world.pool.query("update transactions set held_since = now() - interval '25 hours' where order_id = $1", [
      id,
    ]);
    await world.makeDue();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(String((await world.order(id))['error_message'])).toMatch(/lacks \d+ wei/);
  });
});

describe('a hostile receiver', () => {
  const accept = '63150b7a0260e01b60005260206000f3';
  const codes: readonly [string, Hex, RegExp][] = [
    ['burns all gas', '0x5b600056', /gas|Revert/],
    ['demands most of a block', `0x63018519605a10601a57${accept}5b60006000fd`, /gas|Revert/],
  ];

  it.each(codes)(
    'that %s has its order fail before anything is signed, and holds up no other',
    async (_, code, reason) => {
      const hostile: Address = privateKeyToAddress(generatePrivateKey());
      await world.chain.setCode({ address: hostile, bytecode: code });
      const [bad = ''] = await world.acceptMints(1, { receiverAddress: hostile, erc721: true });
      const good = await world.acceptMints(5, { erc721: true });
      await world.driver().finish();
      const order = await world.order(bad);
      expect(order).toMatchObject({ status: 'FAILED', tx_hash: null });
      expect(String(order['error_message'])).toMatch(reason);
      expect(await world.attempts(bad)).toHaveLength(0);
      await world.expectMintedOnce(good);
    },
  );

  it('that burns only what is paid for costs no more than the limit of its estimate', async () => {
    const hostile: Address = privateKeyToAddress(generatePrivateKey());
    await world.chain.setCode({ address: hostile, bytecode: `0x3a156009575b6005565b${accept}` });
    const [bad = ''] = await world.acceptMints(1, { receiverAddress: hostile, erc721: true });
    const good = await world.acceptMints(5, { erc721: true });
    await world.driver().finish();
    const order = await world.order(bad);
    expect(order).toMatchObject({ status: 'FAILED' });
    expect(Number(order['minting_gas_used'])).toBeLessThanOrEqual(1_000_000);
    await world.expectMintedOnce(good);
  });
});

describe('bytes that no node takes', () => {
  it('make way by a cancel with their nonce, and the order fails with the reason', async () => {
    const [bad = ''] = await world.acceptMints(1);
    const hashes = new Set<string>();
    const picky = withMethod('eth_sendRawTransaction', async (request, next) => {
      const parsed = JSON.parse(request.body) as { id: number; params: string[] }[] | { id: number; params: string[] };
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      const [first] = calls;
      if (first === undefined || hashes.size > 0) return await next();
      hashes.add(first.params[0] ?? '');
      const fault = { jsonrpc: '2.0', id: first.id, error: { code: -32_000, message: 'exceeds block gas limit' } };
      return Response.json(Array.isArray(parsed) ? [fault] : fault);
    });
    await world.driver(picky).finish();
    expect(await world.order(bad)).toMatchObject({ status: 'FAILED', error_message: 'exceeds block gas limit' });
    expect((await world.attempts(bad)).map(({ purpose }) => purpose)).toEqual(['effect', 'cancel']);
    const good = await world.acceptMints(2);
    await world.driver().finish();
    await world.expectMintedOnce(good);
  });
});

describe('an order that its kind cannot read', () => {
  it.each(['call', 'readReceipt', 'reply', 'ended'] as const)('in `%s` keeps no other from its end', async (step) => {
    const [bad = ''] = await world.acceptMints(1);
    const good = await world.acceptMints(4);
    const driver = world.driver();
    const { kinds } = driver.context;
    const mint = kinds.get('mint');
    if (mint === undefined || mint.events === null) throw new Error('Mints have events');
    const isBad = (value: unknown) =>
      JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? 0 : v)).includes(bad);
    const owner: object = step === 'reply' ? mint.events : mint;
    const breaks = (...args: unknown[]) => {
      if (isBad(step === 'ended' ? args.slice(1) : args)) throw new Error('Broken');
      return (Reflect.get(owner, step) as (...all: unknown[]) => unknown)(...args);
    };
    const broken =
      step === 'reply' ? { ...mint, events: { ...mint.events, reply: breaks } } : { ...mint, [step]: breaks };
    const context = { ...driver.context, kinds: new Map([...kinds, ['mint', broken]]) };
    const breaking = world.driver(undefined, 500, context);
    await breaking.until(async () =>
      (await Promise.all(good.map((id) => world.order(id)))).every(({ status }) => status === 'CONFIRMED'),
    );
    await world.expectMintedOnce(good);
    expect((await world.order(bad))['status']).not.toBe('FAILED');
    await world.makeDue();
    await world.driver().finish();
    await world.expectMintedOnce([bad]);
  });
});

describe('an account', () => {
  it('that is INACTIVE signs nothing, and goes on when it is ACTIVE again', async () => {
    await world.pool.query("update corporate_accounts set status = 'INACTIVE'");
    const ids = await world.acceptMints(2);
    const driver = world.driver();
    await driver.run();
    for (const id of ids)
      expect(await world.transaction(id)).toMatchObject({ state: 'waiting', hold_reason: 'inactive' });
    await world.pool.query("update corporate_accounts set status = 'ACTIVE'");
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});
