import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Hex } from 'viem';
import * as engine from '../../src/engine/driver.ts';
import { LaneMemory } from '../../src/engine/lane-memory.ts';
import { type Job, type NewAttempt, type SignedJob, isSigned } from '../../src/engine/job.ts';
import { endTransactions, type Ending } from '../../src/engine/store/end-transactions.ts';
import { readLane } from '../../src/engine/store/read-lane.ts';
import { storeAttempts } from '../../src/engine/store/store-attempts.ts';
import { placeTransactions, reopenTransactions } from '../../src/engine/store/under-way.ts';
import { releaseTransactions } from '../../src/engine/store/waiting.ts';
import { newId } from '../../src/core/record-id.ts';
import { startWorld, type Driver, type World } from './lane-world.ts';

const ROUNDS = 25;

let world: World;
let driver: Driver;
let nextNonce = 0;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '5' });
  driver = world.driver();
});
afterAll(() => world.stop());

/** Gives up a job's nonce, as after reading a final block in which another transaction used it. */
async function giveUp(job: SignedJob, now = new Date()): Promise<void> {
  const { services, lane } = driver.context;
  const floorAbove = {
    floor: job.transaction.nonce + 1,
    observations: [],
    falseBlocks: [],
    signedAt: null,
    ...new LaneMemory(0).condition,
  };
  await releaseTransactions(services.db, lane, [job], 0, floorAbove, now);
}

function read(limit = 100, includeInFlight = false) {
  const { services, kinds, lane } = driver.context;
  const query = {
    batchId: newId(),
    limit,
    window: 1_000_000,
    mined: 0,
    reserved: { nonces: 0, orders: 0 },
    underWay: [],
    snapshot: null,
    signedAt: null,
    now: new Date(),
  };
  return readLane(services, kinds, lane, { ...query, includeInFlight });
}

/** Accepts orders and claims them. */
async function claimed(count: number): Promise<readonly Job[]> {
  await world.pool.query("update orders set next_try_at = now() + interval '1 hour' where state = 'waiting'");
  await world.acceptMints(count);
  const { claimed: jobs } = await read();
  expect(jobs).toHaveLength(count);
  return jobs;
}

/** Orders that are claimed and due again, in the order of their ids. */
async function dueAgain(count: number): Promise<readonly Job[]> {
  const jobs = await claimed(count);
  const ids = jobs.map(({ transaction }) => transaction.id);
  await world.pool.query("update orders set next_try_at = now() - interval '1 second' where id = any($1)", [ids]);
  return jobs;
}

const randomHash = (): Hex => `0x${newId()}${newId()}${newId().slice(0, 16)}`;

function attemptOf(job: Job, nonce: number): NewAttempt {
  const offer = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  const fields = { raw: '0x01', purpose: 'effect', gas: 21_000n, offer, createdAt: new Date() } as const;
  return { job, carried: [], nonce, hash: randomHash(), ...fields };
}

async function snapshot() {
  return new engine.Driver(world.driver().context, new LaneMemory(0), await read(0), Infinity).snapshot;
}

async function store(from: 'waiting' | 'signed', attempts: readonly NewAttempt[]) {
  const { services, lane } = driver.context;
  return await storeAttempts(services, lane, from, attempts, 1_000_000, await snapshot(), new Date());
}

function take(): number {
  nextNonce += 1;
  return nextNonce;
}

/** A transaction in a session of its own. It ends with the test at the latest, so that nothing waits for it forever. */
async function begin() {
  const session = await world.pool.connect();
  await session.query('begin');
  onTestFinished(async () => {
    await session.query('rollback');
    session.release();
  });
  return session;
}

/** Locks a row, so that what changes it has to wait. @returns what unlocks it. */
async function lock(row: string, id: string): Promise<() => Promise<unknown>> {
  const session = await begin();
  const { rowCount } = await session.query(`select 1 from ${row} = $1 for update`, [id]);
  expect(rowCount).toBe(1);
  return () => session.query('commit');
}

/** Resolves when so many sessions wait for a lock. */
async function untilWaiting(sessions = 1): Promise<void> {
  const blocked = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect
    .poll(async () => (await world.pool.query(blocked)).rowCount, { interval: 20 })
    .toBeGreaterThanOrEqual(sessions);
}

/** The job as stored in the database. */
async function signed(job: Job): Promise<Job> {
  await store('waiting', [attemptOf(job, take())]);
  const { underWay } = await read(0, true);
  const now = underWay.find(({ transaction }) => transaction.id === job.transaction.id);
  if (now === undefined) throw new Error('It is signed');
  return now;
}

async function end(job: Job, result: 'confirmed' | 'failed', isNonceUsed: boolean, isFinal = true) {
  const { services, lane } = driver.context;
  const at = new Date();
  const fee = undefined;
  const mined = { txHash: randomHash(), blockNumber: 1, blockHash: randomHash() };
  const outcome: Ending['outcome'] =
    result === 'confirmed'
      ? { claim: job.claim, at, result, effect: { tokenId: '1' }, mined, fee }
      : { claim: job.claim, at, result, reason: 'no', mined: undefined };
  const ending: Ending = { job, outcome, mined: result === 'confirmed' ? mined : null, isNonceUsed, isFinal };
  const { transactionIds, receivers } = await endTransactions(services, lane, newId(), [ending], null, at);
  return { ended: transactionIds.size, events: receivers.length };
}

/** A job as its driver knows it after its end. */
const endedIn = (job: Job, blockHash: Hex): Job => ({
  ...job,
  transaction: { ...job.transaction, version: job.transaction.version + 1, blockHash },
});

const rowOf = async (job: Job) =>
  (
    await world.pool.query(
      `select t.*, (select count(*)::int from attempts a where a.transaction_id = t.id) as attempts,
         (select count(*)::int from webhook_events e where e.related_order_id = t.order_id) as events
       from orders t where id = $1`,
      [job.transaction.id],
    )
  ).rows[0];

describe('of concurrent drivers', () => {
  it('one stores a first attempt', async () => {
    const jobs = await claimed(ROUNDS);
    for (const job of jobs) {
      const nonces = [take(), take(), take()];
      const results = await Promise.all(nonces.map((nonce) => store('waiting', [attemptOf(job, nonce)])));
      expect(results.filter((result) => result !== undefined)).toHaveLength(1);
      expect(await rowOf(job)).toMatchObject({ state: 'signed', version: 1, attempts: 1 });
    }
  });

  it('one uses a nonce, for whichever transaction', async () => {
    const jobs = await claimed(ROUNDS);
    const nonce = take();
    const results = await Promise.all(jobs.map((job) => store('waiting', [attemptOf(job, nonce)])));
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    const rows = await Promise.all(jobs.map(rowOf));
    expect(rows.filter(({ attempts }) => attempts > 0)).toHaveLength(1);
  });

  it('one ends a transaction without a nonce or assigns it one, never both', async () => {
    const jobs = await claimed(ROUNDS);
    for (const job of jobs) {
      const [stored, ended] = await Promise.all([
        store('waiting', [attemptOf(job, take())]),
        end(job, 'failed', false),
      ]);
      expect(stored !== undefined).toBe(ended.ended === 0);
      const row = await rowOf(job);
      expect([row.state, row.attempts, row.events]).toEqual(stored !== undefined ? ['signed', 1, 0] : ['failed', 0, 1]);
    }
  });

  it('one replaces an attempt or gives up its nonce, never both', async () => {
    for (const fresh of await claimed(ROUNDS)) {
      const job = await signed(fresh);
      if (!isSigned(job)) throw new Error('It is signed');
      const [stored] = await Promise.all([store('signed', [attemptOf(job, job.transaction.nonce)]), giveUp(job)]);
      const row = await rowOf(job);
      expect([row.state, row.attempts, row.version]).toEqual(
        stored !== undefined ? ['signed', 2, 2] : ['waiting', 1, 2],
      );
    }
  });

  it('one replaces an attempt', async () => {
    for (const fresh of await claimed(ROUNDS)) {
      const job = await signed(fresh);
      const nonce = job.transaction.nonce ?? 0;
      const results = await Promise.all([1, 2, 3].map(() => store('signed', [attemptOf(job, nonce)])));
      expect(results.filter((result) => result !== undefined)).toHaveLength(1);
      expect(await rowOf(job)).toMatchObject({ attempts: 2, version: 2 });
    }
  });

  it('one ends an order, with one event', async () => {
    for (const fresh of await claimed(ROUNDS)) {
      const job = await signed(fresh);
      const ends = await Promise.all([
        end(job, 'confirmed', true),
        end(job, 'failed', true),
        end(job, 'confirmed', true),
      ]);
      expect(ends.map(({ ended }) => ended).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
      const row = await rowOf(job);
      expect(row).toMatchObject({ endings: 1, events: 1 });
      expect(row.status).toBe(row.state.toUpperCase());
    }
  });

  it('one reopens an order whose block was reorganized out, and none a final one', async () => {
    for (const isFinal of [false, true]) {
      for (const fresh of await claimed(5)) {
        const job = await signed(fresh);
        await end(job, 'confirmed', true, isFinal);
        const ended = endedIn(job, (await rowOf(job)).block_hash);
        const { services } = driver.context;
        const reopened = await Promise.all(
          [1, 2, 3].map(() => reopenTransactions(services.db, newId(), [ended], 5, new Date())),
        );
        expect(reopened.reduce((sum, ids) => sum + ids.size, 0)).toBe(isFinal ? 0 : 1);
        expect((await rowOf(job)).status).toBe(isFinal ? 'CONFIRMED' : 'SENT');
      }
    }
  });

  it('none reopens an order that another has found in its new block', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One is claimed');
    const job = await signed(fresh);
    await end(job, 'confirmed', true, false);
    const { services } = driver.context;
    const known = endedIn(job, (await rowOf(job)).block_hash);
    const moved = { job: known, txHash: randomHash(), blockNumber: 2, blockHash: randomHash(), isFinal: false };
    await placeTransactions(services.db, [moved], new Date());
    expect(await reopenTransactions(services.db, newId(), [known], 5, new Date())).toEqual(new Set());
    expect(await rowOf(job)).toMatchObject({ state: 'confirmed', status: 'CONFIRMED', block_hash: moved.blockHash });
  });

  it('none moves an order back that another has found final in its new block', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One is claimed');
    const job = await signed(fresh);
    await end(job, 'confirmed', true, false);
    const { services } = driver.context;
    const known = endedIn(job, (await rowOf(job)).block_hash);
    const found = (isFinal: boolean) => ({
      job: known,
      txHash: randomHash(),
      blockNumber: 2,
      blockHash: randomHash(),
      isFinal,
    });
    const final = found(true);
    await placeTransactions(services.db, [final], new Date());
    await placeTransactions(services.db, [found(false)], new Date());
    expect(await rowOf(job)).toMatchObject({ block_hash: final.blockHash, tx_hash: final.txHash, is_final: true });
  });

  it('none claims what another has claimed', async () => {
    await world.acceptMints(60);
    const readings = await Promise.all(Array.from({ length: 6 }, () => read(20)));
    const ids = readings.flatMap(({ claimed: jobs }) => jobs.map(({ transaction }) => transaction.id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('a claim that has waited for a transaction', () => {
  it('knows all attempts of what it claims, those that were stored and proven lost meanwhile too', async () => {
    const [first, second] = await dueAgain(2);
    if (first === undefined || second === undefined) throw new Error('Two are due');
    const unlock = await lock('orders where id', first.transaction.id);
    const waited = read();
    await untilWaiting();
    const job = await signed(second);
    if (!isSigned(job)) throw new Error('It is signed');
    // Its machine's clock is late.
    await giveUp(job, new Date(Date.now() - 60_000));
    await unlock();
    const jobs = [...(await waited).claimed, ...(await read()).claimed];
    const known = jobs.map(({ transaction, attempts }) => [transaction.id, [transaction.version, attempts.length]]);
    expect(Object.fromEntries(known)).toEqual({
      [first.transaction.id]: [first.transaction.version, 0],
      [second.transaction.id]: [second.transaction.version + 2, 1],
    });
  });

  it('leaves what another one that has waited as well has claimed', async () => {
    const [first] = await dueAgain(3);
    if (first === undefined) throw new Error('Three are due');
    const unlock = await lock('orders where id', first.transaction.id);
    const claims = [read(), read()];
    await untilWaiting(2);
    await unlock();
    const jobs = (await Promise.all(claims)).flatMap((reading) => reading.claimed);
    expect(jobs.map(({ transaction }) => transaction.id)).toHaveLength(3);
  });
});

describe('two stores that have waited for the limits of their account', () => {
  it('spend no more together than it may spend', async () => {
    const { rows } = await world.pool.query('select coalesce(sum(spent_wei), 0) as spent from orders');
    const [{ spent }] = rows;
    // Each may cost 21,000 wei.
    const spend = { 43_114: { perDay: String(BigInt(spent) + 40_000n), perOrder: null, gasPrice: null } };
    await world.pool.query(
      'insert into account_limits (corporate_account_id, limits, updated_at) values ($1, $2, now())',
      [
        world.accountId,
        { ordersPerDay: null, pendingOrders: null, receivers: null, contracts: null, chains: null, spend },
      ],
    );
    onTestFinished(async () => void (await world.pool.query('delete from account_limits')));
    const jobs = await claimed(2);
    const unlock = await lock('account_limits where corporate_account_id', world.accountId);
    const stores = jobs.map((job) => store('waiting', [attemptOf(job, take())]));
    await untilWaiting(2);
    await unlock();
    const stored = await Promise.all(stores);
    expect(stored.filter((one) => one !== undefined)).toHaveLength(1);
  });
});

describe('a request for metadata that an order uses', () => {
  it('is decided while the order ends: neither waits for the other in a circle', async () => {
    await world.pool.query("update orders set next_try_at = now() + interval '1 hour' where state = 'waiting'");
    const [orderId] = await world.acceptMints(1, { erc721: true });
    const [fresh] = (await read()).claimed;
    if (fresh === undefined) throw new Error('It is claimed');
    const job = await signed(fresh);
    const request = await begin();
    // What acceptance does: it locks the metadata, then inserts an order unless another one uses it.
    await request.query("set local lock_timeout = '1s'");
    await request.query(
      'select 1 from metadata where id = (select metadata_id from orders where id = $1) for no key update',
      [orderId],
    );
    const ending = end(job, 'confirmed', true);
    await untilWaiting();
    const { rowCount } = await request.query(
      `insert into orders (id, kind, order_id, resource, corporate_account_id, chain_id, wallet_address, metadata_id, erc_standard, state, next_try_at)
       select $2, kind, $2, resource, corporate_account_id, chain_id, wallet_address, metadata_id, erc_standard, 'waiting', now()
       from orders where id = $1 on conflict do nothing`,
      [orderId, newId()],
    );
    await request.query('commit');
    expect([rowCount, await ending]).toEqual([0, { ended: 1, events: 1 }]);
  });
});

describe('a transaction that holds a nonce', () => {
  it('does not end before the nonce is used', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    expect(await end(job, 'failed', false)).toEqual({ ended: 0, events: 0 });
    expect(await rowOf(job)).toMatchObject({ state: 'signed', events: 0 });
  });
});

describe('a transaction that has ended', () => {
  it('takes no attempt, gives up no nonce and does not end again, even for a driver that knows its newest version', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    await end(job, 'confirmed', true);
    const { version } = await rowOf(job);
    const known = { ...job, transaction: { ...job.transaction, version: Number(version) } };
    if (!isSigned(known)) throw new Error('It has a nonce');
    expect(await store('signed', [attemptOf(known, known.transaction.nonce)])).toBeUndefined();
    expect(await store('waiting', [attemptOf(known, take())])).toBeUndefined();
    await giveUp(known);
    expect(await end(known, 'failed', true)).toEqual({ ended: 0, events: 0 });
    expect(await rowOf(job)).toMatchObject({
      state: 'confirmed',
      version,
      attempts: 1,
      endings: 1,
      status: 'CONFIRMED',
    });
  });
});

describe('a stale read', () => {
  it('replaces no attempt by one with another nonce', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    expect(await store('signed', [attemptOf(job, take())])).toBeUndefined();
    expect(await rowOf(job)).toMatchObject({ nonce: String(job.transaction.nonce), attempts: 1 });
  });

  it('stores no attempt for a transaction that ended and was reopened meanwhile, and does not end it', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    await end(job, 'confirmed', true, false);
    const ended = endedIn(job, (await rowOf(job)).block_hash);
    await reopenTransactions(driver.context.services.db, newId(), [ended], 5, new Date());
    // Its block, 1, would have been final at block 5.
    expect(await rowOf(job)).toMatchObject({
      state: 'signed',
      version: job.transaction.version + 2,
      not_before_block: '5',
    });
    expect(await store('signed', [attemptOf(job, job.transaction.nonce ?? 0)])).toBeUndefined();
    expect(await end(job, 'failed', true)).toEqual({ ended: 0, events: 0 });
    expect(await rowOf(job)).toMatchObject({ state: 'signed', attempts: 1, endings: 1, status: 'SENT' });
  });

  it('ends no transaction that has since got an attempt and lost its nonce', async () => {
    const [outdated] = await claimed(1);
    if (outdated === undefined) throw new Error('One was claimed');
    const job = await signed(outdated);
    if (!isSigned(job)) throw new Error('It is signed');
    await giveUp(job);
    expect(await end(outdated, 'failed', false)).toEqual({ ended: 0, events: 0 });
    expect(await rowOf(job)).toMatchObject({ state: 'waiting', attempts: 1 });
  });

  it('gives up no nonce for which another attempt has since been stored', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    if (!isSigned(job)) throw new Error('It is signed');
    await store('signed', [attemptOf(job, job.transaction.nonce)]);
    await giveUp(job);
    expect(await rowOf(job)).toMatchObject({ state: 'signed', nonce: String(job.transaction.nonce), attempts: 2 });
  });
});

describe('a nonce that is proven lost', () => {
  it('is never assigned again: the floor rises in the SQL transaction that gives it up', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    if (!isSigned(job)) throw new Error('It is signed');
    await giveUp(job);
    expect((await read()).lane.floor).toBeGreaterThan(job.transaction.nonce);
  });
});

describe('a chunk', () => {
  it('is stored completely or not at all', async () => {
    const jobs = await claimed(10);
    const [first] = jobs;
    if (first === undefined) throw new Error('Ten were claimed');
    await store('waiting', [attemptOf(first, take())]);
    expect(
      await store(
        'waiting',
        jobs.map((job) => attemptOf(job, take())),
      ),
    ).toBeUndefined();
    const rows = await Promise.all(jobs.map(rowOf));
    expect(rows.map(({ attempts }) => attempts)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
