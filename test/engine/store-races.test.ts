import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from 'viem';
import { GOOD, LaneState } from '../../src/engine/lane-state.ts';
import type { Job, NewAttempt } from '../../src/engine/job.ts';
import { isSigned } from '../../src/engine/job.ts';
import type { SignedJob } from '../../src/engine/job.ts';
import { endTransactions } from '../../src/engine/store/end-transactions.ts';
import type { Ending } from '../../src/engine/store/end-transactions.ts';
import { readLane } from '../../src/engine/store/read-lane.ts';
import { storeAttempts } from '../../src/engine/store/store-attempts.ts';
import { reopenTransactions } from '../../src/engine/store/under-way.ts';
import { giveUpNonce } from '../../src/engine/store/waiting.ts';
import { newId } from '../../src/core/ids.ts';
import { startWorld } from './lane-world.ts';
import type { Driver, World } from './lane-world.ts';

const ROUNDS = 25;

let world: World;
let driver: Driver;
let nextNonce = 0;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '5' });
  driver = world.driver();
});
afterAll(() => world.stop());

/** Takes a job's nonce away, as after a final block was read in which another transaction has it. */
async function giveUp(job: SignedJob): Promise<void> {
  const { services, lane } = driver.context;
  const learned = { floor: job.transaction.nonce + 1, looks: [], bodiesReadTo: null, inFlightWindow: null, ...GOOD };
  await giveUpNonce(services.db, lane, job, learned, new Date());
}

function read(most = 100, whole = false) {
  const { services, kinds, lane } = driver.context;
  const query = {
    batchId: newId(),
    most,
    window: 1_000_000,
    startWindow: 1,
    reserved: 0,
    underWay: [],
    note: null,
    now: new Date(),
  };
  return readLane(services.db, kinds, lane, { ...query, whole });
}

/** Accepts orders and claims them. */
async function claimed(count: number): Promise<readonly Job[]> {
  await world.pool.query("update transactions set next_try_at = now() + interval '1 hour' where state = 'waiting'");
  await world.acceptMints(count);
  const { claimed: jobs } = await read();
  expect(jobs).toHaveLength(count);
  return jobs;
}

const randomHash = (): Hex => `0x${newId()}${newId()}${newId().slice(0, 16)}`;

function attemptOf(job: Job, nonce: number): NewAttempt {
  const offer = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  return { job, nonce, raw: '0x01', hash: randomHash(), purpose: 'effect', gas: 21_000n, offer, createdAt: new Date() };
}

async function note() {
  return new LaneState(await read(0), { start: 1, max: 1 }).note(GOOD);
}

async function store(from: 'waiting' | 'signed', attempts: readonly NewAttempt[]) {
  const { services, lane } = driver.context;
  return await storeAttempts(services.db, lane, from, attempts, await note(), new Date());
}

function take(): number {
  nextNonce += 1;
  return nextNonce;
}

/** As the database has it now. */
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
  const { transactionIds, deliveryIds } = await endTransactions(services.db, lane, newId(), [ending], null, at);
  return { ended: transactionIds.size, events: deliveryIds.length };
}

const rowOf = async (job: Job) =>
  (
    await world.pool.query(
      `select t.*, (select count(*)::int from attempts a where a.transaction_id = t.id) as attempts,
         (select count(*)::int from webhook_events e where e.related_order_id = t.order_id) as events,
         (select status from minting_orders o where o.id = t.order_id) as status
       from transactions t where id = $1`,
      [job.transaction.id],
    )
  ).rows[0];

describe('of drivers that do not know of each other', () => {
  it('one stores a first attempt', async () => {
    const jobs = await claimed(ROUNDS);
    for (const job of jobs) {
      const nonces = [take(), take(), take()];
      const results = await Promise.all(nonces.map((nonce) => store('waiting', [attemptOf(job, nonce)])));
      expect(results.filter((result) => result !== undefined)).toHaveLength(1);
      expect(await rowOf(job)).toMatchObject({ state: 'signed', version: 1, attempts: 1 });
    }
  });

  it('one uses a nonce, whatever transaction it is for', async () => {
    const jobs = await claimed(ROUNDS);
    const nonce = take();
    const results = await Promise.all(jobs.map((job) => store('waiting', [attemptOf(job, nonce)])));
    expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    const rows = await Promise.all(jobs.map(rowOf));
    expect(rows.filter(({ attempts }) => attempts > 0)).toHaveLength(1);
  });

  it('one ends a transaction without a nonce, or gives it one: never both', async () => {
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

  it('one replaces an attempt, or takes its nonce away: never both', async () => {
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

  it('one ends an order, and its end is told once', async () => {
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

  it('one reopens an order whose block was taken back, and none a final one', async () => {
    for (const isFinal of [false, true]) {
      for (const fresh of await claimed(5)) {
        const job = await signed(fresh);
        await end(job, 'confirmed', true, isFinal);
        const ended = { ...job, transaction: { ...job.transaction, version: job.transaction.version + 1 } };
        const { services } = driver.context;
        const reopened = await Promise.all(
          [1, 2, 3].map(() => reopenTransactions(services.db, newId(), [ended], new Date())),
        );
        expect(reopened.reduce((sum, ids) => sum + ids.size, 0)).toBe(isFinal ? 0 : 1);
        expect((await rowOf(job)).status).toBe(isFinal ? 'CONFIRMED' : 'SENT');
      }
    }
  });

  it('none claims what another has claimed', async () => {
    await world.acceptMints(60);
    const readings = await Promise.all(Array.from({ length: 6 }, () => read(20)));
    const ids = readings.flatMap(({ claimed: jobs }) => jobs.map(({ transaction }) => transaction.id));
    expect(new Set(ids).size).toBe(ids.length);
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

describe('what rests on an outdated reading', () => {
  it('ends no transaction that got an attempt and lost its nonce meanwhile', async () => {
    const [outdated] = await claimed(1);
    if (outdated === undefined) throw new Error('One was claimed');
    const job = await signed(outdated);
    if (!isSigned(job)) throw new Error('It is signed');
    await giveUp(job);
    expect(await end(outdated, 'failed', false)).toEqual({ ended: 0, events: 0 });
    expect(await rowOf(job)).toMatchObject({ state: 'waiting', attempts: 1 });
  });

  it('takes no nonce away for which another attempt was stored meanwhile', async () => {
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
  it('is never handed out again: the floor rises in the SQL transaction that takes it away', async () => {
    const [fresh] = await claimed(1);
    if (fresh === undefined) throw new Error('One was claimed');
    const job = await signed(fresh);
    if (!isSigned(job)) throw new Error('It is signed');
    await giveUp(job);
    expect((await read()).lane.floor).toBeGreaterThan(job.transaction.nonce);
  });
});

describe('a chunk', () => {
  it('is stored whole or not at all', async () => {
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
