import { parseTransaction } from 'viem';
import type { ProvenTransaction } from '../chains/signed-transaction.ts';
import type { ChainHead } from './chain-head.ts';
import { deepForMost, tryInterpret, type Examined } from './agreed-receipts.ts';
import { deepEnoughAt, endByReceipt, findReceipts } from './receipts.ts';
import { recheckConfirmed } from './finality.ts';
import { namelessBundle } from './bundles.ts';
import { explainNonces } from './explain-nonces.ts';
import { finalForMost } from './majority.ts';
import { isCarried, isOrder, namesOf, type Job, type NewAttempt, type SignedJob } from './job.ts';
import type { Driver } from './driver.ts';
import { resubmit } from './resubmit.ts';
import { settle } from './settle.ts';
import { storeAttempts } from './store/store-attempts.ts';
import { releaseTransactions } from './store/waiting.ts';

/** The number of transactions whose receipts are fetched at a time. */
const BATCH_SIZE = 400;
/** A node may report a nonce as used before it has the receipt. A loss is only investigated after this time. */
const GRACE_MS = 3_000;

/** Processes a new head: settles what was mined, and resubmits or replaces the rest where needed. */
export async function observe(driver: Driver, head: ChainHead): Promise<void> {
  const used = driver.signed.filter(({ transaction }) => transaction.nonce < head.count);
  const unmined = driver.inFlight.filter(({ transaction }) => transaction.nonce >= head.count);
  driver.memory.progress.observe(head, unmined[0]?.transaction.id);
  driver.memory.progress.recordUnsettled(used[0]?.transaction.nonce, head, driver.chain.finality);
  await settleMined(driver, used, head);
  await explainNonces(driver, head);
  await findLosses(driver, head);
  await resubmit(driver, unmined, head);
  await recheckConfirmed(driver, head);
}

async function settleMined(driver: Driver, used: readonly SignedJob[], head: ChainHead): Promise<void> {
  const { tracked } = driver.memory;
  const due = used.filter(({ transaction: { id } }) => {
    return tracked.of(id).deepAt <= head.number && driver.memory.retryAt(id) <= head.readAt;
  });
  for (let first = 0; first < due.length && !driver.isOutdated; first += BATCH_SIZE) {
    await settleBatch(driver, due.slice(first, first + BATCH_SIZE), head);
  }
}

async function settleBatch(driver: Driver, due: readonly SignedJob[], head: ChainHead): Promise<void> {
  const { chain, memory } = driver;
  const { tracked } = memory;
  const isDisputed = ({ transaction: { id } }: Job) => tracked.of(id).disputes > 0;
  const found = await findReceipts(chain, due, head, undefined, isDisputed);
  const examined: Examined[] = [];
  for (const job of due) {
    const { id } = job.transaction;
    const own = found.get(job);
    if (own === undefined) {
      tracked.recordMissing(id, { block: head.number, at: head.readAt });
      continue;
    }
    tracked.recordFound(id);
    const result = tryInterpret(driver, own);
    if (result === undefined) continue;
    const confirmedAt = deepEnoughAt(own, { effect: null }, chain);
    if (confirmedAt > head.number) {
      // The transaction should be deep enough by now: it has moved to another block, or a node says so.
      if (tracked.of(id).deepAt > 0) tracked.recordDisputes(id, 1);
      tracked.recordDepth(id, confirmedAt);
    } else examined.push({ found: own, result });
  }
  const deep = await deepForMost(driver, examined, head);
  const results = await Promise.all(
    deep.map(async ({ found: own, result }) => {
      // A failed job ends only once its block is final.
      const dueAt = deepEnoughAt(own, result, chain);
      if (dueAt > head.number) tracked.recordDepth(own.job.transaction.id, dueAt);
      if (isLeftOut({ found: own, result })) return undefined;
      try {
        return await endByReceipt(driver, own, result, head);
      } catch (error) {
        // An order that cannot be read must not affect the others.
        driver.services.log.error('order.not_read', { ...namesOf(own.job), error });
        return undefined;
      }
    }),
  );
  await settle(
    driver,
    results.filter((end) => end !== undefined),
  );
  await releaseLeftOut(
    driver,
    deep.filter((one) => isLeftOut(one) && deepEnoughAt(one.found, one.result, chain) <= head.number),
    head,
  );
}

/** Whether a bundle has carried an order without its effect. */
function isLeftOut({ found: { job }, result }: Examined): boolean {
  return isCarried(job) && 'failure' in result;
}

/**
 * Releases what final bundles have carried without its effect: only a call of its own can show that an order has
 * failed. As where a nonce is lost, more than half of the nodes must have that receipt, or else an order would be
 * executed again by the word of one.
 */
async function releaseLeftOut(driver: Driver, leftOut: readonly Examined[], head: ChainHead): Promise<void> {
  const { services, lane, chain, memory } = driver;
  const mined = leftOut.map((one) => {
    const { transactionHash: hash, blockNumber, blockHash } = one.found.receipt;
    return { ...one, hash, blockNumber, blockHash };
  });
  // As before signing: if a single node could hide a log, the order would be executed twice.
  const provable = mined.filter(
    ({ found: { job } }) => chain.rpc.providers > 1 || job.kind.bundling?.isRepeatable(job.claim) !== true,
  );
  const proven = new Set(
    await finalForMost(chain, provable, ({ found }, receipt) => {
      const result = tryInterpret(driver, { ...found, receipt });
      return result !== undefined && 'failure' in result;
    }),
  );
  const unproven = mined.filter((one) => !proven.has(one));
  for (const { found } of unproven) memory.retryLater(found.job.transaction.id, head.readAt + chain.blockTimeMs);
  if (unproven.length > 0) {
    services.log.warn('bundle.not_proven', {
      ...lane,
      orders: unproven.map(({ found: { job } }) => job.claim.orderId),
    });
  }
  const jobs = [...proven].map(({ found }) => found.job);
  if (jobs.length === 0) return;
  const finalAt = Math.max(...[...proven].map(({ found, result }) => deepEnoughAt(found, result, chain)));
  const at = new Date(services.clock.now());
  await releaseTransactions(services.db, lane, jobs, finalAt, driver.snapshot, at);
  services.log.warn('bundle.left_out', { ...lane, orders: jobs.map(({ claim }) => claim.orderId) });
  driver.markOutdated();
}

/** Finds out who used the nonces of transactions that have no receipt. */
async function findLosses(driver: Driver, head: ChainHead): Promise<void> {
  const { services, lane, memory } = driver;
  const { tracked, search } = memory;
  const first = driver.signed.find(({ transaction: { id, nonce } }) => {
    const { missing } = tracked.of(id);
    return missing !== undefined && nonce < head.count && head.readAt - missing.at >= GRACE_MS;
  });
  if (first === undefined) return;
  const { id: firstId, nonce: firstNonce } = first.transaction;
  const usedAt = tracked.of(firstId).missing?.block ?? head.number;
  const consumers = await search.findConsumers(driver, { nonce: firstNonce, usedAt }, head);
  // A bundle and what it carries, or what is alone: all with a nonce have the same attempts with it.
  for (const [nonce, jobs] of Map.groupBy(driver.signed, (job) => job.transaction.nonce)) {
    const consumer = consumers.get(nonce);
    const any = jobs.find((job) => !isCarried(job)) ?? jobs[0];
    if (consumer === undefined || any === undefined) continue;
    const { transaction, hash, finalAt } = consumer;
    driver.raiseFloor(nonce + 1);
    for (const job of jobs) tracked.recordFound(job.transaction.id);
    if (any.attempts.some((attempt) => attempt.hash === hash)) continue;
    const at = new Date(services.clock.now());
    const fields = { ...lane, ...namesOf(any), nonce, txHash: hash };
    const carrier = transaction === undefined ? undefined : carrierOf(any, transaction, at);
    if (transaction !== undefined && carrier !== undefined) {
      if (!isCarried(any)) await adoptAttempt(driver, carrier, transaction, head, at);
      services.log.warn('transaction.adopted', fields);
    } else if (await releaseTransactions(services.db, lane, jobs, finalAt, driver.snapshot, at)) {
      services.log.warn('transaction.nonce_lost', fields);
    }
    // They have another attempt, are waiting again, or another driver has changed them in the meantime, and the consumer
    // may be their replacement.
    driver.markOutdated();
    for (const job of jobs) tracked.recordSending(job.transaction.id, undefined);
  }
}

type Carrier = Pick<NewAttempt, 'job' | 'carried' | 'part'>;

/**
 * What a transaction is an attempt of if it may carry out the order of a job; undefined if it does not. It makes the call
 * of one of the job's attempts; or the job is a bundle, and it calls the bundle's contract, perhaps for some of the same
 * orders; or it is a bundle itself, with the order among others.
 */
function carrierOf(job: SignedJob, { to, data, value }: ProvenTransaction, now: Date): Carrier | undefined {
  const calls = job.attempts.flatMap(({ purpose, raw }) => (purpose === 'effect' ? [parseTransaction(raw)] : []));
  const own = calls.filter((call) => (call.to ?? null) === to);
  const isSame = own.some((call) => (call.data ?? '0x') === data && (call.value ?? 0n) === value);
  const isBundle = !isOrder(job) && own.some((call) => call.data !== undefined);
  if (isSame || isBundle) return { job, carried: [] };
  const parts = to === null ? [] : (job.kind.bundling?.split({ to, data }, []) ?? []);
  const place = parts.findIndex((part) => own.some((call) => call.data === part.data));
  if (place === -1) return undefined;
  return { job: namelessBundle(job, now), carried: [job], part: { place, size: parts.length } };
}

/** Stores an attempt that the database has lost, as a restored one may have: each order ends by its receipt. */
async function adoptAttempt(
  { services, lane, snapshot }: Driver,
  carrier: Carrier,
  { nonce, hash, raw, gas, maxFeePerGas, maxPriorityFeePerGas }: ProvenTransaction,
  head: ChainHead,
  createdAt: Date,
): Promise<void> {
  const offer = { maxFeePerGas, maxPriorityFeePerGas };
  const attempt = { ...carrier, nonce, raw, hash, purpose: 'effect' as const, gas, offer, createdAt };
  await storeAttempts(services, lane, 'signed', [attempt], head.number, snapshot, createdAt);
}
