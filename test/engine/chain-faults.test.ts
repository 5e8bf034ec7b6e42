import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';
import { allowErrors, expectErrors } from '../record/service-errors.ts';

expectErrors('order.not_prepared', 'order.not_read', 'order.not_explained');
allowErrors('lane.settle_failed');

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

/** The faults of the current test, and how often each changed a response. */
const faults: { readonly method: string; hits: number }[] = [];
afterEach(() => {
  const unused = faults.splice(0).filter(({ hits }) => hits === 0);
  if (unused.length > 0)
    throw new Error(`These faults never took effect: ${unused.map(({ method }) => method).join()}`);
});

/** A fault of the requests that contain `method`. A test in which it changes nothing fails. */
function withMethod(method: string, effect: Hook): Hook {
  const fault = { method, hits: 0 };
  faults.push(fault);
  return async (request, next) => {
    if (!request.body.includes(method)) return await next();
    let real: Response | undefined;
    const reply = await effect(request, async () => {
      real = await next();
      return real;
    });
    if (reply !== real) fault.hits += 1;
    return reply;
  };
}

const without = (one: { result: unknown }) => ({ ...one, result: null });

const small: Hook = async (request, next) => {
  const calls: unknown = request.body.startsWith('[') ? JSON.parse(request.body) : undefined;
  return Array.isArray(calls) && calls.length > 5
    ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batch too large' } })
    : await next();
};

const refused: Hook = () => Promise.resolve(new Response('unavailable', { status: 503 }));

describe('a foreign transaction of the wallet', () => {
  it('that uses the nonces of signed transactions only makes them get new nonces', async () => {
    const ids = await world.acceptMints(3);
    const cutOff = world.driver(withMethod('eth_sendRawTransaction', refused));
    const run = cutOff.run();
    await expect.poll(async () => (await world.order(ids[0] ?? ''))['state']).toBe('signed');
    await world.useNonceElsewhere();
    await world.useNonceElsewhere();
    await world.driver().finish();
    await run;
    await world.expectMintedOnce(ids);
    const attempts = await Promise.all(ids.map((id) => world.attempts(id)));
    expect(attempts.flat()).toHaveLength(5);
    const { rows } = await world.pool.query('select floor from lanes');
    expect(Number(rows[0].floor)).toBeGreaterThan(0);
  });
});

describe('a nonce gap', () => {
  it('that no transaction owns is filled, so that later nonces are mined', async () => {
    const snapshot = await world.chain.snapshot();
    await world.useNonceElsewhere();
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    // Neither a held order nor an account that may not sign prevents that.
    await world.pool.query("update corporate_accounts set status = 'INACTIVE'");
    const [held = ''] = await world.acceptMints(1);
    // The foreign transaction is gone with its block: its nonce must be used by another one.
    await world.chain.revert({ id: snapshot });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 3 });
    await driver.until(async () => (await world.order(id))['status'] === 'CONFIRMED');
    await world.expectMintedOnce([id]);
    const { rows } = await world.pool.query("select state from orders where kind = 'bundle'");
    expect(rows).toEqual([{ state: 'confirmed' }]);
    await world.pool.query("update corporate_accounts set status = 'ACTIVE'");
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([held]);
  });
});

const slowEstimates: Hook = async (request, next) => {
  if (request.body.includes('eth_estimateGas')) await delay(300);
  return await next();
};

describe('a node', () => {
  it('that reports an impossible count does not affect nonce assignment', async () => {
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

  it('that returns no receipts for a while makes no order fail or start over', async () => {
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

  it('that reorders and omits replies in a batch causes no mix-up', async () => {
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
    await world.driver(withMethod('"eth_', shuffle)).finish();
    await world.expectMintedOnce(ids);
  });

  it('that rejects batches of more than five calls gets smaller ones', async () => {
    const ids = await world.acceptMints(20);
    await world.driver(withMethod('"eth_', small)).finish();
    await world.expectMintedOnce(ids);
  });

  it('that does not know the contract yet has nothing signed by its estimate', async () => {
    const [id = ''] = await world.acceptMints(1);
    let isLagging = true;
    // As geth for an address without code: there is no code, and a call of it takes little.
    const lagging = withMethod('eth_estimateGas', async (request, next) => {
      const calls = JSON.parse(request.body) as { id: number; method: string }[];
      if (!isLagging) return await next();
      const results: Record<string, string> = { eth_getCode: '0x', eth_estimateGas: '0x55f0' };
      return Response.json(
        calls.map(({ id: callId, method }) => ({ jsonrpc: '2.0', id: callId, result: results[method] })),
      );
    });
    const driver = world.driver(lagging);
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', nonce: null, hold_reason: 'not-now' });
    isLagging = false;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });

  it('that needs longer for its estimates than a run may last delays orders, and stops none', async () => {
    const ids = await world.acceptMints(3);
    await world.driver(slowEstimates, 200).finish();
    await world.expectMintedOnce(ids);
  });

  it('that lacks the block that an order depends on makes it wait, not fail', async () => {
    const [id = ''] = await world.acceptMints(1);
    const block = Number(await world.chain.getBlockNumber());
    await world.pool.query('update orders set not_before_block = $2 where order_id = $1', [id, block + 2]);
    const driver = world.driver();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    await world.chain.mine({ blocks: 2 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

describe('a pool', () => {
  it('that has the next transaction in line but leaves it out of the pending count gets one replacement', async () => {
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(3);
    // As anvil sometimes does: it has the transaction but does not count it as pending.
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

describe('a chain without new blocks', () => {
  it('is never a reason to raise fees', async () => {
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
  it('that rise above an offer cause a replacement with the same nonce, and only one of the two is mined', async () => {
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

  it('above the cap hold orders without failing any', async () => {
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('600') });
    await world.chain.mine({ blocks: 1 });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.run();
    expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'fee-cap' });
    expect(driver.events.map(({ event }) => event)).toContain('lane.fee_capped');
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
    await world.chain.mine({ blocks: 1 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

describe('a wallet without funds', () => {
  it('holds its orders, reports what is missing, and continues once it is funded', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const ids = await world.acceptMints(150);
    const driver = world.driver();
    await driver.until(async () => (await world.order(ids[0] ?? ''))['hold_reason'] === 'funds');
    // Those behind them are tried in chunks.
    const last = ids[149] ?? '';
    await driver.until(async () => /lacks \d+ wei/.test(String((await world.order(last))['hold_detail'])));
    const { rows } = await world.pool.query('select state, order_id from lanes');
    await driver.run();
    expect(driver.events.map(({ event }) => event)).toContain('wallet.empty');
    expect(rows).toHaveLength(1);
    await world.chain.setBalance({ address: world.wallet, value: parseEther('10') });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('counts what is in flight as spent', async () => {
    await world.chain.setAutomine(false);
    const [first = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(first))['status'] === 'SENT');
    const [attempt] = await world.attempts(first);
    const cost = BigInt(String(attempt?.['gas'])) * BigInt(String(attempt?.['max_fee_per_gas']));
    await world.chain.setBalance({ address: world.wallet, value: (cost * 3n) / 2n });
    const [second = ''] = await world.acceptMints(1);
    await driver.until(async () => (await world.order(second))['hold_reason'] === 'funds');
    expect(await world.order(second)).toMatchObject({ state: 'waiting', nonce: null });
    expect(String((await world.order(second))['hold_detail'])).toContain(`${cost} is committed to other orders`);
    await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([first, second]);
  });

  it('fails an order that has waited a day, but not one that has a nonce', async () => {
    await world.chain.setBalance({ address: world.wallet, value: 1_000n });
    const [id = ''] = await world.acceptMints(1);
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['hold_reason'] === 'funds');
    await world.pool.query("update orders set held_since = now() - interval '25 hours' where order_id = $1", [id]);
    await world.makeDue();
    await driver.finish();
    expect(await world.order(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(String((await world.order(id))['error_message'])).toMatch(/lacks \d+ wei/);
  });
});

describe('a hostile receiver', () => {
  const accept = '63150b7a0260e01b60005260206000f3';
  const codes: readonly [string, Hex, RegExp][] = [
    ['burns all gas', '0x5b600056', /gas|Revert/],
    ['demands more than a block', `0x6302625a005a10601a57${accept}5b60006000fd`, /gas|Revert/],
    ['demands most of a block', `0x63018519605a10601a57${accept}5b60006000fd`, /gas|Revert/],
  ];

  it.each(codes)(
    'that %s makes its order fail before anything is signed, and delays no other',
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

  it('that reverts with megabytes fails its order, however many there are at once, and delays no other', async () => {
    const hostile: Address = privateKeyToAddress(generatePrivateKey());
    // revert(0, 300_000)
    await world.chain.setCode({ address: hostile, bytecode: '0x620493e05ffd' });
    const bad = await world.acceptMints(60, { receiverAddress: hostile, erc721: true });
    const good = await world.acceptMints(5, { erc721: true });
    await world.driver().finish();
    for (const id of bad) {
      const order = await world.order(id);
      expect(order).toMatchObject({ status: 'FAILED', tx_hash: null });
      expect(String(order['error_message'])).toMatch(/^Reverted: the response of the contract is too long/);
    }
    await world.expectMintedOnce(good);
  });

  it('that burns gas only in paid transactions costs no more than the gas limit of its estimate', async () => {
    const hostile: Address = privateKeyToAddress(generatePrivateKey());
    await world.chain.setCode({ address: hostile, bytecode: `0x3a156009575b6005565b${accept}` });
    const [bad = ''] = await world.acceptMints(1, { receiverAddress: hostile, erc721: true });
    const good = await world.acceptMints(5, { erc721: true });
    await world.driver().finish();
    const order = await world.order(bad);
    expect(order).toMatchObject({ status: 'FAILED' });
    expect(Number(order['gas_used'])).toBeLessThanOrEqual(1_000_000);
    await world.expectMintedOnce(good);
  });

  it('that spends its last unit between estimate and block, so that its balance costs more gas, gets the next one', async () => {
    const [, , holder = '0x'] = await world.chain.getAddresses();
    const [first = '', second = ''] = await world.acceptMints(2, { receiverAddress: holder });
    await world.pool.query("update orders set next_try_at = now() + interval '1 hour' where order_id = $1", [second]);
    await world.driver().until(async () => (await world.order(first))['status'] === 'CONFIRMED');
    const { token_id: tokenId, contract_address: contract } = await world.order(first);
    await world.pool.query('update orders set token_id = $1 where id = $2', [tokenId, second]);
    await world.makeDue();
    let status: string | undefined;
    const spending = withMethod('eth_sendRawTransaction', async (_, next) => {
      if (status === undefined) {
        const hash = await world.chain.writeContract({
          ...standard1155,
          chain: null,
          account: holder,
          address: contract as Address,
          functionName: 'safeTransferFrom',
          args: [holder, world.wallet, BigInt(String(tokenId)), 1n, '0x'],
        });
        ({ status } = await world.chain.waitForTransactionReceipt({ hash }));
      }
      return new Response(await (await next()).text());
    });
    await world.driver(spending).finish();
    expect(status).toBe('success');
    await world.expectMintedOnce([second]);
    expect(await world.attempts(second)).toHaveLength(1);
  });
});

describe('bytes that no node accepts', () => {
  it('are replaced by a cancel with the same nonce, and the order fails with the reason', async () => {
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
  it.each(['call', 'readReceipt', 'reply', 'ended'] as const)(
    'in `%s` does not prevent others from ending',
    async (step) => {
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
    },
  );
});

describe('an order that fails before it is signed', () => {
  it('is tried again by its driver, without a wake-up, if its end cannot be written', async () => {
    const receiverAddress = privateKeyToAddress(generatePrivateKey());
    await world.chain.setCode({ address: receiverAddress, bytecode: '0x60006000fd' });
    const [bad = ''] = await world.acceptMints(1, { receiverAddress, erc721: true });
    const { context } = world.driver();
    const mint = context.kinds.get('mint');
    if (mint === undefined) throw new Error('Mints are a kind');
    const broken: typeof mint = {
      ...mint,
      ended: () => {
        throw new Error('Broken');
      },
    };
    const kinds = new Map([...context.kinds, ['mint', broken]]);
    const driver = world.driver(undefined, 500, { ...context, kinds });
    expect(await driver.run()).toBeGreaterThan(Date.now());
    expect(await world.order(bad)).toMatchObject({ state: 'waiting', hold_reason: 'not-now' });
    await world.makeDue();
    await world.driver().finish();
    expect((await world.order(bad))['status']).toBe('FAILED');
  });
});

describe('a failure that its kind cannot explain', () => {
  it('ends its order with the reason from the chain, and delays no other', async () => {
    const receiverAddress = privateKeyToAddress(generatePrivateKey());
    await world.chain.setCode({ address: receiverAddress, bytecode: '0x60006000fd' });
    const [bad = ''] = await world.acceptMints(1, { receiverAddress, erc721: true });
    const good = await world.acceptMints(2);
    const { context } = world.driver();
    const mint = context.kinds.get('mint');
    if (mint === undefined) throw new Error('Mints are a kind');
    const broken: typeof mint = { ...mint, explain: () => Promise.reject(new Error('Broken')) };
    const kinds = new Map([...context.kinds, ['mint', broken]]);
    const driver = world.driver(undefined, 500, { ...context, kinds });
    await driver.finish();
    expect(await world.order(bad)).toMatchObject({
      status: 'FAILED',
      error_message: expect.stringMatching(/^Reverted: /),
    });
    await world.expectMintedOnce(good);
    expect(driver.events.map(({ event }) => event)).toContain('order.not_explained');
  });
});

describe('an account', () => {
  it('that is INACTIVE signs nothing, and continues when it is ACTIVE again', async () => {
    await world.pool.query("update corporate_accounts set status = 'INACTIVE'");
    const ids = await world.acceptMints(2);
    const driver = world.driver();
    await driver.run();
    for (const id of ids) expect(await world.order(id)).toMatchObject({ state: 'waiting', hold_reason: 'inactive' });
    await world.pool.query("update corporate_accounts set status = 'ACTIVE'");
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });
});
