import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createPublicClient,
  keccak256,
  parseGwei,
  parseTransaction,
  serializeTransaction,
  toHex,
  type Hex,
  type TransactionSerializableEIP1559,
} from 'viem';
import { credibleHeight } from '../../src/chains/credible-height.ts';
import { createRpcClient, type RpcClient } from '../../src/chains/rpc-client.ts';
import { rpcTransport } from '../../src/chains/rpc-transport.ts';
import { newId } from '../../src/core/record-id.ts';
import { cancelOrder } from '../../src/orders/cancel-order.ts';
import { storeLimits } from '../../src/limits/limits.store.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { contextThatFinds, startWorld, type Driver, type Hook, type World } from './lane-world.ts';

let world: World;
/** The newest block when the test began. */
let startBlock = 0n;
/** How far the chain's time is ahead of this machine's, in milliseconds: tests let time pass. */
let skewMs = 0;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '3' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setIntervalMining({ interval: 0 });
  await world.chain.setAutomine(true);
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 4 });
  startBlock = await world.chain.getBlockNumber({ cacheTime: 0 });
  skewMs = Math.max(0, Number((await world.chain.getBlock()).timestamp) * 1_000 - Date.now());
  // The lane has forgotten what it was told in earlier tests, by drivers whose clocks were ahead.
  const observation = [Number(startBlock), await world.chain.getTransactionCount({ address: world.wallet })];
  await world.pool.query('update lanes set driven_at = now(), observations = $1', [JSON.stringify([observation])]);
});

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = { id: number; result?: unknown; error?: unknown };

/** What a provider makes of a request; `real` are the chain's replies. */
type Fault<Result = Response | Reply[]> = (calls: readonly Call[], real: () => Promise<Reply[]>) => Promise<Result>;

/**
 * What a network makes of the requests to the providers of one chain.
 * @param faultOf The fault of the nth provider, from 1.
 */
const faultyNetwork =
  (faultOf: (provider: number) => Fault | undefined): Hook =>
  async (request, next) => {
    const provider = Number(/provider=(\d)$/.exec(request.url)?.[1] ?? 0);
    const fault = provider === 0 ? undefined : faultOf(provider);
    if (fault === undefined) return await next();
    const body = JSON.parse(request.body) as Call | Call[];
    const real = async () => [(await (await next()).json()) as Reply | Reply[]].flat();
    const replies = await fault([body].flat(), real);
    if (replies instanceof Response) return replies;
    return Response.json(Array.isArray(body) ? replies : replies[0]);
  };

/** The URLs of one chain that is behind several providers. */
function urlsOf(providers: number): readonly string[] {
  const { settings } = world.driver().context.services;
  const [url] = settings.chains.get('43114')?.rpcUrls ?? [];
  return Array.from({ length: providers }, (_, index) => `${url}/?provider=${index + 1}`);
}

function clientOf(providers: number): RpcClient {
  return createRpcClient(urlsOf(providers), { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
}

/** A driver with several providers. */
function driverWith(
  providers: number,
  faultOf: (provider: number) => Fault | undefined,
  context = world.driver().context,
): Driver {
  const chain = { ...context.chain, rpc: clientOf(providers) };
  const driver = world.driver(faultyNetwork(faultOf), 500, { ...context, chain });
  driver.clock.ahead = skewMs;
  return driver;
}

const eachReply =
  (change: (call: Call, reply: Reply) => Reply): Fault<Reply[]> =>
  async (calls, real) =>
    (await real()).map((reply) => {
      const call = calls.find(({ id }) => id === reply.id);
      return call === undefined ? reply : change(call, reply);
    });

const changed = (method: string, change: (result: never) => unknown) =>
  eachReply((call, reply) => (call.method === method ? { ...reply, result: change(reply.result as never) } : reply));

const hidden = changed('eth_getTransactionReceipt', () => null);

/** Rejects everything, a single call too, in more than half the time that a request may take. */
const rejecting: Fault = async () => {
  await delay(1_200);
  return new Response('', { status: 413 });
};

/** Hides receipts and falsifies the hashes of transactions in bodies by one digit. */
const forged: Fault = async (calls, real) => {
  const text = JSON.stringify(await hidden(calls, real)).replaceAll(
    /("hash":"0x[0-9a-f]{63})([0-9a-f])(","blockHash")/g,
    (_, start: string, digit: string, end: string) => `${start}${digit === '0' ? '1' : '0'}${end}`,
  );
  return JSON.parse(text) as Reply[];
};

const capitals: Fault = async (_, real) => {
  const text = JSON.stringify(await real()).replaceAll(/"0x[0-9a-f]+"/g, (hex) => `"0x${hex.slice(3).toUpperCase()}`);
  return JSON.parse(text) as Reply[];
};

const raised = (hex: string, by: number) => `0x${(Number(hex) + by).toString(16)}`;

const isOfHead = ({ method, params }: Call) => method === 'eth_getBlockByNumber' && params[0] === 'latest';

interface Block {
  readonly number: Hex;
  readonly hash: Hex;
}

const blockAt = (height: Hex | 'latest') =>
  world.chain.request({ method: 'eth_getBlockByNumber', params: [height, false] } as never) as Promise<Block>;

/** Names the newest block by a number that is too high by this much. */
const raisedBy = (by: number) =>
  eachReply((call, reply) => {
    if (call.method === 'eth_blockNumber') return { ...reply, result: raised(String(reply.result), by) };
    if (!isOfHead(call)) return reply;
    const block = reply.result as Block;
    return { ...reply, result: { ...block, number: raised(block.number, by) } };
  });

/** And returns it for that number too. */
const raisedThroughoutBy =
  (by: number): Fault =>
  async (calls, real) => {
    const newest = await blockAt('latest');
    const number = raised(newest.number, by);
    const isOfIt = (call: Call) => isOfHead(call) || call.params[0] === number;
    return await eachReply((call, reply) => (isOfIt(call) ? { ...reply, result: { ...newest, number } } : reply))(
      calls,
      real,
    );
  };

/** Names another hash for each block but the newest. */
const otherHashes: Fault = async (calls, real) => {
  const top = await world.chain.getBlockNumber({ cacheTime: 0 });
  return await changed('eth_getBlockByNumber', (block: Block | null) =>
    block === null || BigInt(block.number) >= top ? block : { ...block, hash: keccak256(block.hash) },
  )(calls, real);
};

/** Names another hash for each block. */
const foreignHashes = changed(
  'eth_getBlockByNumber',
  (block: Block | null) => block && { ...block, hash: keccak256(block.hash) },
);

const absurdHeights = changed('eth_getBlockByNumber', (block: Block | null) =>
  block === null ? null : { ...block, number: raised(block.number, 2 ** 40) },
);

/** Names a count of the wallet's transactions that is too high by this much. */
const countRaisedBy = (by: number) => changed('eth_getTransactionCount', (count: string) => raised(count, by));

const absent: Fault = () => Promise.resolve(new Response('unavailable', { status: 503 }));

const strict: Fault = async (calls, real) =>
  calls.length > 1
    ? Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'batches are not supported' } })
    : await real();

/** Takes transactions, and passes none on. */
const swallowing: Fault = async (calls, real) =>
  calls.some(({ method }) => method === 'eth_sendRawTransaction')
    ? calls.map(({ id, params: [raw] }) => ({ id, result: keccak256(raw as Hex) }))
    : await real();

/** A limit on the fee of a transaction, as geth's RPCTxFeeCap, above which this provider takes none. */
const capped: Fault = async (calls, real) =>
  calls.some(({ method }) => method === 'eth_sendRawTransaction')
    ? calls.map(({ id }) => ({
        id,
        error: { code: -32_000, message: 'tx fee (1.01 ether) exceeds the configured cap (1.00 ether)' },
      }))
    : await real();

/** Takes no transactions, as a service that is out of order. @param refused Called for each. */
const refusingToTake =
  (refused: () => void): Fault =>
  async (calls, real) => {
    if (!calls.some(({ method }) => method === 'eth_sendRawTransaction')) return await real();
    refused();
    return calls.map(({ id }) => ({ id, error: { code: -32_000, message: 'temporarily disabled' } }));
  };

const feeNamed = (baseFeePerGas: Hex) =>
  changed('eth_getBlockByNumber', (block: object | null) => block && { ...block, baseFeePerGas });

const limitNamed = (gasLimit: Hex) =>
  changed('eth_getBlockByNumber', (block: object | null) => block && { ...block, gasLimit });

/** Names a fee at which no block takes a transaction, and passes none on. */
const underselling: Fault = (calls, real) =>
  swallowing(calls, () => changed('eth_maxPriorityFeePerGas', () => '0x1')(calls, () => feeNamed('0x1')(calls, real)));

const withoutEstimates = eachReply((call, reply) =>
  call.method === 'eth_estimateGas'
    ? { id: reply.id, error: { code: -32_601, message: 'the method eth_estimateGas does not exist' } }
    : reply,
);

const refusing = eachReply((call, reply) =>
  call.method === 'eth_estimateGas'
    ? { id: reply.id, error: { code: 3, message: 'execution reverted', data: '0x' } }
    : reply,
);

/** Has nothing above a block. */
const endingAt =
  (topOf: () => bigint | Promise<bigint>): Fault<Reply[]> =>
  async (calls, real) => {
    const top = await topOf();
    const newest = await blockAt(toHex(top));
    const isAbove = ({ method, params }: Call, { result }: Reply) =>
      (method === 'eth_getBlockByNumber' && Number(params[0]) > top) ||
      (method === 'eth_getTransactionReceipt' && Number((result as { blockNumber: Hex } | null)?.blockNumber) > top);
    return await eachReply((call, reply) => {
      if (isOfHead(call)) return { ...reply, result: newest };
      return isAbove(call, reply) ? { ...reply, result: null } : reply;
    })(calls, real);
  };

/** Stays some blocks behind, with the count of a node that does not. */
const lagging = endingAt(async () => (await world.chain.getBlockNumber()) - 2n);

/** Answers as when the test began. */
const stalled: Fault = async (calls, real) => {
  const count = await world.chain.getTransactionCount({ address: world.wallet, blockNumber: startBlock });
  const counted = changed('eth_getTransactionCount', () => toHex(count));
  return await endingAt(() => startBlock)(calls, () => counted(calls, real));
};

/** Leaves the wallet's transactions out of the bodies of blocks. */
const omitting = changed('eth_getBlockByNumber', (block: { transactions?: unknown[] } | null) => {
  const others = block?.transactions?.filter((one) => (one as { from?: string }).from !== world.wallet.toLowerCase());
  return block === null ? null : { ...block, transactions: others };
});

/** A transaction with the other signature that fits it, which has another hash. */
function mirrored(raw: Hex): Hex {
  const { r = '0x', s = '0x', yParity = 0, ...unsigned } = parseTransaction(raw) as TransactionSerializableEIP1559;
  const other = { r, s: toHex(SECP256K1_ORDER - BigInt(s), { size: 32 }), yParity: 1 - yParity };
  return serializeTransaction(unsigned, other);
}

/** Another call with the same nonce. */
const signedElsewhere = (raw: Hex) => world.signedWith(raw, { to: world.wallet, data: '0x' });

/**
 * Counts the nonce of a transaction as used, and shows the transaction in each block.
 * @param rawOf Its bytes; undefined: nothing is shown.
 */
const showing =
  (rawOf: () => Hex | undefined): Fault =>
  async (calls, real) => {
    const raw = rawOf();
    if (raw === undefined) return await real();
    const {
      r,
      s,
      yParity = 0,
      to,
      data = '0x',
      nonce = 0,
      gas = 0n,
      maxFeePerGas = 0n,
      maxPriorityFeePerGas = 0n,
    } = parseTransaction(raw) as TransactionSerializableEIP1559;
    const shown = {
      type: '0x2',
      chainId: toHex(43_114),
      accessList: [],
      from: world.wallet.toLowerCase(),
      to: to?.toLowerCase(),
      value: '0x0',
      input: data,
      nonce: toHex(nonce),
      gas: toHex(gas),
      maxFeePerGas: toHex(maxFeePerGas),
      maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
      r,
      s,
      v: toHex(yParity),
      yParity: toHex(yParity),
      hash: keccak256(raw),
    };
    return await eachReply(({ method, params: [, isBody] }, reply) => {
      if (method === 'eth_getTransactionCount') return { ...reply, result: toHex(nonce + 1) };
      if (method !== 'eth_getBlockByNumber' || isBody !== true) return reply;
      return { ...reply, result: { ...(reply.result as object), transactions: [shown] } };
    })(calls, real);
  };

/**
 * Runs a driver until a condition holds, while blocks arrive and what waits becomes due.
 * @param blockTimeMs How much later it is for the driver with each block, besides the time that passes.
 */
async function whileMining(
  driver: Driver,
  condition: () => Promise<boolean> | boolean,
  blockTimeMs = 0,
): Promise<void> {
  await driver.until(async () => {
    await world.makeDue();
    await world.chain.increaseTime({ seconds: blockTimeMs / 1_000 });
    await world.chain.mine({ blocks: 1 });
    driver.clock.ahead += blockTimeMs;
    return await condition();
  });
}

/**
 * An order of which nothing is mined, because another transaction of the wallet has used its nonce in a final block.
 */
async function signedOrderWhoseNonceIsUsed(driver: Driver): Promise<string> {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  await driver.until(async () => (await world.order(id))['state'] === 'signed');
  await driver.run();
  const [attempt] = await world.attempts(id);
  await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
  await world.useNonceElsewhere();
  await world.chain.mine({ blocks: 5 });
  await world.chain.setAutomine(true);
  return id;
}

/** As much later it is for a driver with each block where something waits for longer than a test may take. */
const BLOCK_MS = 10_000;

const for6s = () => {
  const until = Date.now() + 6_000;
  // Longer than a driver waits before it searches for who used a nonce.
  return () => Date.now() > until;
};

const statesOf = (ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => String((await world.order(id))['state'])));

const for60sOf =
  ({ clock }: Driver) =>
  () =>
    clock.ahead > 60_000 + skewMs;

const areFinal = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => world.order(id)))).every((one) => one['is_final'] === true);

async function areConfirmed(ids: readonly string[]): Promise<boolean> {
  const orders = await Promise.all(ids.map((id) => world.order(id)));
  return orders.every(({ status }) => status === 'CONFIRMED');
}

/** Checks that each order was executed once, and that nothing was taken for lost or cancelled. */
async function expectUndisturbed({ events }: Driver, ids: readonly string[]): Promise<void> {
  await world.expectMintedOnce(ids);
  expect(events.map(({ event }) => event)).not.toContain('transaction.nonce_lost');
  for (const id of ids) expect((await world.attempts(id)).filter(({ purpose }) => purpose === 'cancel')).toEqual([]);
}

/**
 * What a provider does, and how far orders come meanwhile if it is the only one; if it is one of three, all are
 * confirmed.
 */
const faults: readonly (readonly [string, Fault, 'waiting' | 'signed' | 'confirmed'])[] = [
  ['forges the hashes of transactions in bodies and hides receipts', forged, 'signed'],
  ['writes hex in capitals', capitals, 'confirmed'],
  ['names absurd block numbers', absurdHeights, 'signed'],
  ['names an absurd head', raisedBy(2 ** 40), 'signed'],
  ['names a head 200 blocks too high', raisedBy(200), 'signed'],
  ['names heads above 2^63', raisedBy(2 ** 63), 'waiting'],
  ['lags', lagging, 'confirmed'],
  ['is absent', absent, 'waiting'],
  ['limits the fee of a transaction', capped, 'signed'],
  ['takes transactions and passes none on', swallowing, 'signed'],
  ['refuses batches', strict, 'confirmed'],
  ['names too low a fee, takes transactions and passes none on', underselling, 'signed'],
  ['names too high a base fee', feeNamed(toHex(2n ** 56n)), 'waiting'],
  ['asks for too high a tip', changed('eth_maxPriorityFeePerGas', () => toHex(2n ** 56n)), 'confirmed'],
  ['says that the wallet is empty', changed('eth_getBalance', () => '0x0'), 'waiting'],
  ['counts no transaction of the wallet', changed('eth_getTransactionCount', () => '0x0'), 'signed'],
  ['answers estimates with an error of its own', withoutEstimates, 'waiting'],
  ['has stalled', stalled, 'signed'],
];

const slowReceiver = `0x${'51'.repeat(20)}` as const;

const isSlow = ({ method, params }: Call) =>
  method === 'eth_estimateGas' && JSON.stringify(params).includes(slowReceiver.slice(2));

it('estimates that each of three providers answers too late hold no other order', async () => {
  let isLate = true;
  const driver = driverWith(3, () => async (calls, real) => {
    if (isLate && calls.some(isSlow)) await delay(2_500);
    return await real();
  });
  const slow = await world.acceptMints(2, { receiverAddress: slowReceiver });
  const others = await world.acceptMints(2);
  // What is held is not made due: where the window is small, it would be claimed each time in the place of the others.
  await driver.until(async () => {
    await world.chain.mine({ blocks: 1 });
    driver.clock.ahead += BLOCK_MS;
    return await areConfirmed(others);
  });
  expect(await statesOf(slow)).toEqual(['waiting', 'waiting']);
  await expectUndisturbed(driver, others);
  isLate = false;
  await whileMining(driver, () => areConfirmed(slow), BLOCK_MS);
});

describe('the only provider of a chain', () => {
  it.each(faults)('that %s lets orders come as far as it can, and loses none', async (_, fault, state) => {
    let isFaulty = true;
    const driver = driverWith(1, () => (isFaulty ? fault : undefined));
    const ids = await world.acceptMints(3);
    await whileMining(driver, state === 'confirmed' ? () => areConfirmed(ids) : for60sOf(driver), BLOCK_MS);
    expect(await statesOf(ids)).toEqual(ids.map(() => state));
    isFaulty = false;
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await expectUndisturbed(driver, ids);
  });

  it('that hides who used a nonce keeps its order SENT while it does', async () => {
    let isFaulty = true;
    const driver = driverWith(1, () => (isFaulty ? omitting : undefined));
    const id = await signedOrderWhoseNonceIsUsed(driver);
    await whileMining(driver, for60sOf(driver), BLOCK_MS);
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    isFaulty = false;
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await world.expectMintedOnce([id]);
  });

  it('that refuses to take transactions most of the time, for minutes, makes none fail', async () => {
    let refusals = 0;
    const driver = driverWith(1, () => (refusals < 15 ? refusingToTake(() => (refusals += 1)) : undefined));
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(1);
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await expectUndisturbed(driver, ids);
  });

  it('that refuses to take transactions for a minute and is then absent makes none fail', async () => {
    let fault: Fault | undefined = refusingToTake(() => {});
    const driver = driverWith(1, () => fault);
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(1);
    await whileMining(driver, for60sOf(driver), BLOCK_MS);
    fault = absent;
    await driver.run();
    driver.clock.ahead += 600_000;
    fault = undefined;
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await expectUndisturbed(driver, ids);
  });

  it('that refuses to take transactions again, minutes after it was last asked, makes none fail', async () => {
    let fault: Fault | undefined = refusingToTake(() => {});
    const driver = driverWith(1, () => fault);
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(1);
    await whileMining(driver, for60sOf(driver), BLOCK_MS);
    driver.clock.ahead += 600_000;
    await driver.run();
    await driver.run();
    fault = undefined;
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await expectUndisturbed(driver, ids);
  });

  it('that is absent for longer than orders wait for anything else makes none fail', async () => {
    const { context } = world.driver();
    const [id = ''] = await world.acceptMints(1);
    const clock = { ahead: 0 };
    const services = { ...context.services, clock: { now: () => Date.now() + clock.ahead } };
    let isAbsent = true;
    const network = faultyNetwork(() => (isAbsent ? absent : undefined));
    const driver = world.driver(network, 500, { ...context, services, chain: { ...context.chain, rpc: clientOf(1) } });
    await driver.run();
    clock.ahead = 100 * 3_600_000;
    await world.makeDue();
    await driver.run();
    expect(await statesOf([id])).toEqual(['waiting']);
    isAbsent = false;
    clock.ahead = 0;
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce([id]);
  });
});

const estimating = (gas: unknown) => changed('eth_estimateGas', () => gas);

describe('one of three providers of a chain', () => {
  it.each([
    ...faults.map(([name, fault]) => [name, fault] as const),
    ['says that a contract has no code', changed('eth_getCode', () => '0x')] as const,
    ['estimates too much', estimating(toHex(2n ** 40n))] as const,
    ['estimates too little', estimating('0x5208')] as const,
    ['answers estimates with what is no number', estimating('abc')] as const,
    ['names too low a gas limit', limitNamed('0x5208')] as const,
    // The orders of an only provider would be confirmed if its newest block has them.
    ['names other hashes for earlier blocks', otherHashes] as const,
    ['names other hashes for all blocks', foreignHashes] as const,
    ['refuses estimates', refusing] as const,
    ['rejects each call as too large, slowly', rejecting] as const,
  ])('that %s does not stop orders', async (_, fault) => {
    const driver = driverWith(3, (provider) => (provider === 1 ? fault : undefined));
    const ids = await world.acceptMints(3, { erc721: true });
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await expectUndisturbed(driver, ids);
  });

  it('that names other hashes for earlier blocks keeps no confirmed order from being final', async () => {
    const driver = driverWith(3, (provider) => (provider === 1 ? otherHashes : undefined));
    const ids = await world.acceptMints(1);
    await whileMining(driver, () => areFinal(ids), BLOCK_MS);
    expect(await world.order(ids[0] ?? '')).toMatchObject({ endings: 1 });
  });

  it('that counts one transaction more from time to time does not stop a burst', async () => {
    const start = await world.chain.getTransactionCount({ address: world.wallet });
    const dripping: Fault = (calls, real) =>
      changed('eth_getTransactionCount', (count: string) =>
        toHex(Math.min(Number(count), start + Math.floor((driver.clock.ahead - skewMs) / 50_000))),
      )(calls, real);
    const driver: Driver = driverWith(3, (provider) => (provider === 1 ? dripping : undefined));
    const ids = await world.acceptMints(20);
    await whileMining(driver, async () => (await areConfirmed(ids)) || driver.clock.ahead > skewMs + 300_000, BLOCK_MS);
    expect(await areConfirmed(ids)).toBe(true);
  });

  it('that names a balance which is enough for some orders holds none of the others', async () => {
    const poor: Fault = async (calls, real) => {
      const { baseFeePerGas } = await world.chain.getBlock();
      const price = 2n * (baseFeePerGas ?? 0n) + (await world.chain.estimateMaxPriorityFeePerGas());
      return await changed('eth_getBalance', () => toHex(103_000n * price))(calls, real);
    };
    const driver = driverWith(3, (provider) => (provider === 1 ? poor : undefined));
    const ids = await world.acceptMints(1, { erc721: true });
    for (let mints = 0; mints < 3; mints += 1) {
      ids.push(...(await world.acceptMints(1)));
      await driver.run();
    }
    await whileMining(driver, () => areConfirmed(ids));
    expect(driver.events.map(({ event }) => event)).not.toContain('order.held');
  });

  it("that names a base fee above an account's own limit holds none of its orders", async () => {
    const { db } = world.driver().context.services;
    const spend = { 43114: { perDay: null, perOrder: null, gasPrice: String(parseGwei('100')) } };
    const none = { chains: null, contracts: null, receivers: null, ordersPerDay: null, pendingOrders: null };
    await storeLimits(db, 'c', { ...none, spend }, new Date());
    const dear = feeNamed(toHex(parseGwei('200')));
    const driver = driverWith(3, (provider) => (provider === 1 ? dear : undefined));
    const ids = await world.acceptMints(1);
    await whileMining(driver, () => areConfirmed(ids), BLOCK_MS);
    await storeLimits(db, 'c', { ...none, spend: {} }, new Date());
    expect(driver.events.map(({ event }) => event)).not.toContain('order.held');
  });

  it('that hides who used a nonce does not keep its order from being executed', async () => {
    const driver = driverWith(3, (provider) => (provider === 1 ? omitting : undefined));
    const id = await signedOrderWhoseNonceIsUsed(driver);
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await world.expectMintedOnce([id]);
    expect(driver.events.map(({ event }) => event)).toContain('transaction.nonce_lost');
  });
});

it.each([1, 3])(
  'the first of %s providers that names ever higher heads makes nothing final that used a nonce',
  async (providers) => {
    await world.chain.setAutomine(false);
    const [id = ''] = await world.acceptMints(1);
    let isFaulty = false;
    let by = 0;
    const driver = driverWith(providers, (provider) => (isFaulty && provider === 1 ? raisedBy((by += 2)) : undefined));
    await driver.until(async () => (await world.order(id))['status'] === 'SENT');
    const [attempt] = await world.attempts(id);
    await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
    const snapshot = await world.chain.snapshot();
    await world.useNonceElsewhere();
    await world.chain.mine({ blocks: 1 });
    isFaulty = true;
    const isOver = for6s();
    await driver.until(() => Promise.resolve(isOver()));
    expect(await world.order(id)).toMatchObject({ state: 'signed', nonce: String(attempt?.['nonce']) });
    // The block is reorganized out, and the order's own transaction is mined instead.
    await world.chain.revert({ id: snapshot });
    isFaulty = false;
    await world.chain.sendRawTransaction({ serializedTransaction: String(attempt?.['raw']) as Hex });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 4 });
    await driver.finish();
    await expectUndisturbed(driver, [id]);
  },
);

it.each([
  [1, 'forges another transaction with the nonce from its own bytes', mirrored],
  [3, 'forges another transaction with the nonce from its own bytes', mirrored],
  [1, 'moves a signed transaction that is not mined into its blocks', signedElsewhere],
  [3, 'moves a signed transaction that is not mined into its blocks', signedElsewhere],
])('the first of %s providers that %s proves nothing', async (providers, _, bytesOf) => {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  let shown: Hex | undefined;
  const driver = driverWith(providers, (provider) => (provider === 1 ? showing(() => shown) : undefined));
  await driver.until(async () => (await world.order(id))['status'] === 'SENT');
  await driver.run();
  const [attempt] = await world.attempts(id);
  const { nonce } = await world.order(id);
  await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
  shown = await bytesOf(String(attempt?.['raw']) as Hex);
  await whileMining(driver, for60sOf(driver), BLOCK_MS);
  // Most of three count the nonce as unused, so that the transaction is sent again, and mined.
  expect(await world.order(id)).toMatchObject({ state: providers === 1 ? 'signed' : 'confirmed', nonce });
  expect(driver.events.some(({ event }) => event === 'block.not_proven')).toBe(providers === 1);
  shown = undefined;
  await world.chain.setAutomine(true);
  await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
  await expectUndisturbed(driver, [id]);
});

/** The order and a driver that has sent it, to which the first provider tells a lie while there is one. */
async function sentOrder(confirmations = 1) {
  const [id = ''] = await world.acceptMints(1);
  const { context } = world.driver();
  const lie: { told?: Fault } = {};
  const driver = driverWith(3, (provider) => (provider === 1 ? lie.told : undefined), {
    ...context,
    chain: { ...context.chain, confirmations },
  });
  await world.chain.setAutomine(false);
  await driver.until(async () => (await world.order(id))['status'] === 'SENT');
  return { id, driver, lie, params: [(await world.attempts(id))[0]?.['hash']] };
}

/** Whether the end of an order was put off, or has come. */
const isDecidedBy = (driver: Driver, id: string) => async () => {
  const { id: transactionId, state } = await world.order(id);
  return state !== 'signed' || driver.memory.retryAt(String(transactionId)) > 0;
};

describe('what one of three providers alone says', () => {
  it('of the number of its newest block confirms no order that is not as deep', async () => {
    const { id, driver, lie } = await sentOrder(2);
    await world.chain.mine({ blocks: 1 });
    lie.told = raisedThroughoutBy(3);
    await driver.until(isDecidedBy(driver, id));
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await expectUndisturbed(driver, [id]);
  });

  it('in a receipt of what is not mined confirms no order', async () => {
    const { id, driver, lie, params } = await sentOrder();
    const snapshot = await world.chain.snapshot();
    await world.chain.mine({ blocks: 1 });
    const receipt = await world.chain.request({ method: 'eth_getTransactionReceipt', params } as never);
    await world.chain.revert({ id: snapshot });
    await world.chain.dropTransaction({ hash: String(params[0]) as Hex });
    await world.chain.mine({ blocks: 1 });
    const { number: blockNumber, hash: blockHash } = await blockAt('latest');
    const invented = changed('eth_getTransactionReceipt', () => ({ ...(receipt as object), blockNumber, blockHash }));
    lie.told = (calls, real) => invented(calls, () => countRaisedBy(1)(calls, real));
    await driver.until(isDecidedBy(driver, id));
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    delete lie.told;
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await expectUndisturbed(driver, [id]);
  });

  it('of the gas and the price of a mined transaction is not what its order is charged', async () => {
    const { id, driver, lie } = await sentOrder();
    lie.told = changed(
      'eth_getTransactionReceipt',
      (receipt: object | null) => receipt && { ...receipt, gasUsed: '0x1', effectiveGasPrice: '0x1' },
    );
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    const { gas_used: gasUsed, tx_hash: hash, spent_wei: spent } = await world.order(id);
    const receipt = await world.chain.getTransactionReceipt({ hash: hash as Hex });
    expect(gasUsed).toBe(String(receipt.gasUsed));
    expect(spent).toBe(String(receipt.gasUsed * receipt.effectiveGasPrice));
    await expectUndisturbed(driver, [id]);
  });

  it('in a receipt that reports a mined transaction as reverted is outvoted', async () => {
    const { id, driver, lie } = await sentOrder();
    lie.told = changed(
      'eth_getTransactionReceipt',
      (receipt: object | null) => receipt && { ...receipt, status: '0x0' },
    );
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await expectUndisturbed(driver, [id]);
  });
});

describe('the first of three providers', () => {
  it('that moves a receipt into its newest block each time does not keep an order from its end', async () => {
    const { id, driver, lie } = await sentOrder(2);
    lie.told = async (calls, real) => {
      const { number: blockNumber, hash: blockHash } = await blockAt('latest');
      const moved = changed(
        'eth_getTransactionReceipt',
        (own: object | null) => own && { ...own, blockNumber, blockHash },
      );
      return await moved(calls, real);
    };
    await world.chain.setAutomine(true);
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await expectUndisturbed(driver, [id]);
  });

  it('that is behind fails no order that can be executed by now', async () => {
    // Refuses tokens until it has been called without data.
    const receiverAddress = '0x00000000000000000000000000000000000c0de9';
    const bytecode = '0x36600a576001600055005b600054601657600080fd005b63f23a6e6160e01b60005260206000f3';
    await world.chain.setCode({ address: receiverAddress, bytecode });
    await world.chain.mine({ blocks: 3 });
    const top = await world.chain.getBlockNumber({ cacheTime: 0 });
    const [account = '0x'] = await world.chain.getAddresses();
    await world.chain.sendTransaction({ account, chain: null, to: receiverAddress, gas: 100_000n });
    await world.chain.mine({ blocks: 5 });
    const [id = ''] = await world.acceptMints(1, { receiverAddress });
    const driver = driverWith(3, (provider) => (provider === 1 ? endingAt(() => top) : undefined));
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    expect(await areConfirmed([id])).toBe(true);
  });

  it('that names other hashes for all blocks keeps no cancellation that reads the chain from its end', async () => {
    const context = contextThatFinds(world.driver(), async ({ reads }) => {
      await reads.code(world.wallet);
      return undefined;
    });
    const driver = driverWith(3, (provider) => (provider === 1 ? foreignHashes : undefined), context);
    const [id = ''] = await world.acceptMints(1);
    await world.pool.query('update orders set cancel_requested_at = now(), version = version + 1 where order_id = $1', [
      id,
    ]);
    const hasEnded = async () => (await statesOf([id]))[0] === 'cancelled';
    await whileMining(driver, hasEnded, BLOCK_MS);
    expect(await hasEnded()).toBe(true);
  });
});

it('a gap in the nonces above one that is used is closed although its order has not ended', async () => {
  let late: unknown;
  let extra = 0;
  const hiding = changed('eth_getTransactionReceipt', (own: { transactionHash: string } | null) =>
    own?.transactionHash === late ? null : own,
  );
  const fault = () => (calls: readonly Call[], real: () => Promise<Reply[]>) =>
    countRaisedBy(extra)(calls, () => hiding(calls, real));
  await world.chain.setAutomine(false);
  const [first = ''] = await world.acceptMints(1);
  await driverWith(1, fault).until(async () => (await world.order(first))['status'] === 'SENT');
  late = (await world.attempts(first))[0]?.['hash'];
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  extra = 3;
  // Nothing was observed of the lane that contradicts the count.
  await world.pool.query('delete from lanes');
  const driver = driverWith(1, fault);
  const [second = ''] = await world.acceptMints(1);
  await driver.until(async () => (await world.order(second))['status'] === 'SENT');
  extra = 0;
  await whileMining(driver, () => areConfirmed([second]), BLOCK_MS);
  expect(await statesOf([first])).toEqual(['signed']);
  late = undefined;
  await whileMining(driver, () => areConfirmed([first, second]), BLOCK_MS);
});

it.each([1, 3])(
  'the first of %s providers that names other hashes for earlier blocks reopens no order',
  async (providers) => {
    let isFaulty = false;
    const driver = driverWith(providers, (provider) => (isFaulty && provider === 1 ? otherHashes : undefined));
    const ids = await world.acceptMints(2);
    await driver.until(() => areConfirmed(ids));
    isFaulty = true;
    await whileMining(driver, async () => (await areFinal(ids)) || driver.memory.retryAt('finality') > 0);
    isFaulty = false;
    await whileMining(driver, () => areFinal(ids), BLOCK_MS);
    expect(driver.events.map(({ event }) => event)).not.toContain('block.reorganized');
    await expectUndisturbed(driver, ids);
  },
);

it('one of three providers that has stalled hides no effect of a third party from a cancellation', async () => {
  const executedIn = Number(startBlock) + 10;
  const context = contextThatFinds(world.driver(), ({ reads }) =>
    Promise.resolve(reads.blockNumber < executedIn ? undefined : { effect: { tokenId: '1' }, inclusion: null }),
  );
  const driver = driverWith(3, (provider) => (provider === 1 ? stalled : undefined), context);
  const [id = ''] = await world.acceptMints(1);
  await world.pool.query('update orders set cancel_requested_at = now(), version = version + 1 where order_id = $1', [
    id,
  ]);
  await world.chain.mine({ blocks: 20 });
  driver.clock.ahead += 600_000;
  await whileMining(driver, async () => (await statesOf([id]))[0] !== 'waiting');
  expect(await world.order(id)).toMatchObject({ status: 'CONFIRMED' });
});

it('an old head that one of three providers names as its newest ends no cancelled order without a driver', async () => {
  // The lane has observed a block.
  await world.acceptMints(1);
  await world.driver().finish();
  const observed = await world.chain.getBlockNumber({ cacheTime: 0 });
  const { services } = world.driver();
  const { kinds } = contextThatFinds(world.driver(), ({ reads }) =>
    Promise.resolve(reads.blockNumber < observed + 10n ? undefined : { effect: { tokenId: '1' }, inclusion: null }),
  );
  const [id = ''] = await world.acceptMints(1);
  await world.chain.mine({ blocks: 20 });
  const old = await blockAt(toHex(observed + 1n));
  const { timestamp } = await world.chain.getBlock();
  const oldHead = eachReply((call, reply) =>
    isOfHead(call) ? { ...reply, result: { ...old, timestamp: toHex(timestamp) } } : reply,
  );
  const definition = services.settings.chains.get('43114');
  if (definition === undefined) throw new Error('The chain is not configured');
  const settings = { ...services.settings, chains: new Map([['43114', { ...definition, rpcUrls: urlsOf(3) }]]) };
  const tenant = { ...services, settings, actor: { type: 'operator' }, db: tenantOf(services.db, world.accountId) };
  const network = faultyNetwork((provider) => (provider === 1 ? oldHead : undefined));
  const job = await world.within(network, () => cancelOrder(tenant as never, [...kinds.values()], id));
  expect(job.transaction.state).toBe('waiting');
});

it('one of three providers that hides receipts reopens none of many orders that a reorganization moves', async () => {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(24);
  const snapshot = await world.chain.snapshot();
  let isHiding = false;
  const driver = driverWith(3, (provider) => (isHiding && provider === 1 ? hidden : undefined));
  await driver.until(async () => (await world.order(ids.at(-1) ?? ''))['status'] === 'SENT');
  await world.chain.mine({ blocks: 1 });
  await driver.until(() => areConfirmed(ids));
  const blocksOf = () => Promise.all(ids.map(async (id) => (await world.order(id))['block_hash']));
  const before = await blocksOf();
  await world.chain.revert({ id: snapshot });
  await world.chain.mine({ blocks: 1 });
  for (const id of ids) {
    const [attempt] = await world.attempts(id);
    await world.chain.sendRawTransaction({ serializedTransaction: String(attempt?.['raw']) as Hex });
  }
  isHiding = true;
  await world.chain.mine({ blocks: 4 });
  await driver.until(() => areFinal(ids));
  for (const id of ids) expect(await world.order(id)).toMatchObject({ is_final: true, endings: 1 });
  expect((await blocksOf()).filter((hash) => before.includes(hash))).toEqual([]);
  await world.expectMintedOnce(ids);
});

/**
 * The height at which an order is accepted.
 * @param isFaulty Of the first provider, for each of its replies.
 */
async function heightAtAcceptance(providers: number, isFaulty: (reply: number) => boolean): Promise<number> {
  const rpc = clientOf(providers);
  let replies = 0;
  const network = faultyNetwork((provider) => {
    if (provider !== 1) return undefined;
    replies += 1;
    return isFaulty(replies) ? raisedBy(2 ** 40) : undefined;
  });
  const chain = { id: newId(), rpc, client: createPublicClient({ transport: rpcTransport(rpc) }) };
  return await world.within(network, () => credibleHeight(chain));
}

describe('the block below which an accepted order is not decided', () => {
  it('is not the absurd one that the only provider names once', async () => {
    await expect(heightAtAcceptance(1, (reply) => reply === 1)).rejects.toMatchObject({ kind: 'upstream' });
  });

  it('is the absurd one that the only provider names twice', async () => {
    expect(await heightAtAcceptance(1, () => true)).toBeGreaterThan(2 ** 40);
  });

  it('is not the absurd one that one of three providers names', async () => {
    expect(await heightAtAcceptance(3, () => true)).toBe(Number(await world.chain.getBlockNumber({ cacheTime: 0 })));
  });
});

describe.each([
  ['the only provider', 1],
  ['the only one of three that answers', 3],
] as const)('after %s has named an absurd head', (_, providers) => {
  /** A driver of a new lane that has acted on such a head. */
  async function misledDriver(): Promise<Driver> {
    await world.pool.query('delete from lanes');
    let isFaulty = true;
    const driver = driverWith(providers, (provider) => {
      if (!isFaulty) return undefined;
      return provider === 1 ? raisedBy(2 ** 40) : absent;
    });
    const [id = ''] = await world.acceptMints(1);
    await driver.run();
    const { rows } = await world.pool.query('select observations from lanes');
    expect(rows[0].observations.at(-1)[0]).toBeGreaterThan(2 ** 40);
    isFaulty = false;
    await whileMining(driver, () => areConfirmed([id]));
    await world.expectMintedOnce([id]);
    return driver;
  }

  it('an order that cannot be executed fails', async () => {
    await misledDriver();
    const [id = ''] = await world.acceptMints(1, { erc721: true });
    const { contract_address: contract, token_id: tokenId } = await world.order(id);
    await world.takeToken(String(contract) as Hex, String(tokenId));
    await whileMining(world.driver(), async () => (await world.order(id))['status'] === 'FAILED');
    expect(await world.order(id)).toMatchObject({ state: 'failed', nonce: null });
  });

  it('a gap in the nonces is closed', async () => {
    await misledDriver();
    await world.chain.setAutomine(false);
    const [lost = ''] = await world.acceptMints(1);
    await world.driver().until(async () => (await world.order(lost))['status'] === 'SENT');
    const [attempt] = await world.attempts(lost);
    // Held by a kind that only a later version knows: its bytes are sent for those behind it.
    await world.pool.query("update orders set kind = 'novel' where order_id = $1", [lost]);
    await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
    await world.chain.setAutomine(true);
    const [id = ''] = await world.acceptMints(1);
    await whileMining(world.driver(), () => areConfirmed([id]), BLOCK_MS);
    await world.pool.query("update orders set kind = 'mint' where order_id = $1", [lost]);
    await world.driver().finish();
    await world.expectMintedOnce([lost, id]);
  });
});

it('an attempt that was sent at an absurd head is replaced once the base fee exceeds its offer', async () => {
  await world.chain.setAutomine(false);
  let isFaulty = true;
  const driver = driverWith(1, () => (isFaulty ? raisedBy(2 ** 40) : undefined));
  const [id = ''] = await world.acceptMints(1);
  await driver.until(async () => (await world.order(id))['state'] === 'signed');
  isFaulty = false;
  const [attempt] = await world.attempts(id);
  const baseFeePerGas = BigInt(String(attempt?.['max_fee_per_gas'])) * 2n;
  for (let blocks = 0; blocks < 6; blocks += 1) {
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    await driver.run();
  }
  expect((await world.attempts(id)).length).toBeGreaterThan(1);
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 4 });
  await driver.finish();
  await world.expectMintedOnce([id]);
});

/** A driver of a new lane, and an order that it has signed at a nonce too high by this much. */
async function orderAtNonceTooHigh(by: number): Promise<{ readonly driver: Driver; readonly id: string }> {
  await world.pool.query('delete from lanes');
  let isFaulty = true;
  const driver = driverWith(1, () => (isFaulty ? countRaisedBy(by) : undefined));
  const [id = ''] = await world.acceptMints(1);
  await driver.until(async () => (await world.order(id))['status'] === 'SENT');
  isFaulty = false;
  return { driver, id };
}

const fillers = async () => (await world.pool.query("select 1 from orders where kind = 'bundle'")).rows;

describe('the only provider of a chain, for a wallet that it has not been asked about before', () => {
  it('that names too high a count leaves a gap in the nonces, which is filled', async () => {
    const { driver, id } = await orderAtNonceTooHigh(3);
    await whileMining(driver, () => areConfirmed([id]), BLOCK_MS);
    await expectUndisturbed(driver, [id]);
  });

  it('that names an absurd count keeps that order alone from being executed, and is paid for no fillers', async () => {
    const { driver, id } = await orderAtNonceTooHigh(2 ** 40);
    const before = (await fillers()).length;
    const others = await world.acceptMints(3);
    await whileMining(driver, () => areConfirmed(others));
    await whileMining(driver, for60sOf(driver), BLOCK_MS);
    expect(await world.order(id)).toMatchObject({ status: 'SENT' });
    expect((await fillers()).length).toBe(before);
  });
});
