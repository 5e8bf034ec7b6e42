import type { Services } from '../services.ts';
import { broadcast } from './broadcast.ts';
import { again, DONE, isSigned } from './job.ts';
import type { Job, Lane, SignedJob, Verdict } from './job.ts';
import type { Claim, Operation } from './operation.ts';
import { prepare } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { lookForReceipts } from './receipts.ts';
import { rescue } from './rescue.ts';
import { settleDropped, settleMined } from './settle.ts';
import { signAndStore } from './sign.ts';
import { markHeld, transactionsOf } from './transactions.store.ts';

/** Pauses between looks for receipts, in milliseconds. What is not mined by then comes back with a later message. */
const LOOKS_MS = [0, 200, 400, 800, 1_600];
/** How long an operation waits for its wallet to be funded. */
const FUNDS_PATIENCE_MS = 600_000;

/**
 * Carries orders out, from wherever each stands, as far as it goes now. May be called for the same order at any time, any
 * number of times, by any number of consumers at once.
 * @returns for each order id what is to become of its wake-up call.
 */
export async function advance<Order, Success>(
  services: Services,
  operation: Operation<Order, Success>,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, Verdict>> {
  const waiting = new Set(await operation.waiting?.(services, orderIds));
  const claims = await operation.claim(
    services,
    orderIds.filter((id) => !waiting.has(id)),
  );
  const transactions = await transactionsOf(services.db, operation.kind, claims, new Date(services.clock.now()));
  const transactionOf = new Map(transactions.map((transaction) => [transaction.orderId, transaction]));

  // What was not claimed is finished, or was never there: its message has done its work.
  const verdicts = new Map<string, Verdict>(orderIds.map((id) => [id, waiting.has(id) ? again(1) : DONE]));
  const lanes = Map.groupBy(claims, ({ chainId, account }) => `${chainId}:${account.walletAddress}`);
  await Promise.all(
    Array.from(lanes.values(), async (own) => {
      const jobs = own.flatMap((claim) => {
        const transaction = transactionOf.get(claim.orderId);
        return transaction === undefined ? [] : [{ claim, transaction }];
      });
      for (const [id, verdict] of await advanceLane(services, operation, own, jobs)) verdicts.set(id, verdict);
    }),
  );
  return verdicts;
}

/** One wallet on one chain; a failure here is no other wallet's. */
async function advanceLane<Order, Success>(
  services: Services,
  operation: Operation<Order, Success>,
  claims: readonly Claim<Order>[],
  jobs: readonly Job<Order>[],
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>(claims.map(({ orderId }) => [orderId, again(5)]));
  const [first] = claims;
  if (first === undefined) return verdicts;
  const { chainId, account } = first;
  const chain = services.chains.get(chainId);
  if (chain === undefined) {
    services.log.error('chain.not_configured', { chainId });
    return verdicts;
  }
  const lane: Lane<Order, Success> = { services, operation, chain, account };
  try {
    let open = jobs;
    while (open.length > 0) {
      const waiting = await advanceOnce(lane, open, verdicts);
      // Once some are mined, the window has room for others.
      if (waiting.length === open.length) break;
      open = waiting;
    }
  } catch (error) {
    services.log.error('operation.interrupted', { kind: operation.kind, chainId, accountId: account.id, error });
  }
  return verdicts;
}

/** @returns the jobs that got no nonce in this round; `verdicts` has what became of the others. */
async function advanceOnce<Order, Success>(
  lane: Lane<Order, Success>,
  jobs: readonly Job<Order>[],
  verdicts: Map<string, Verdict>,
): Promise<readonly Job<Order>[]> {
  const onTheWay = jobs.filter(isSigned);
  const fresh = jobs.filter((job) => job.transaction.state === 'preparing');
  let waiting: readonly Job<Order>[] = [];
  let signed: readonly SignedJob<Order>[] = [];
  // An ended transaction whose order is not: another consumer's settle is a moment ahead of this one's claim.
  if (fresh.length > 0) {
    const prepared = await prepare(lane, fresh);
    await settleHopeless(lane, prepared, verdicts);
    if (prepared.signer !== undefined) {
      ({ signed, waiting } = await signAndStore(
        lane,
        prepared.ready,
        prepared.signer,
        prepared.gasPrice,
        prepared.chainNonce,
      ));
    }
    for (const { claim } of waiting) verdicts.set(claim.orderId, again(1));
  }

  const verdictsOfSends = await broadcast(lane, [
    ...onTheWay.filter(({ transaction }) => transaction.state === 'signed'),
    ...signed,
  ]);

  let open: readonly SignedJob<Order>[] = [...onTheWay, ...signed];
  for (const pause of LOOKS_MS) {
    if (open.length === 0) break;
    await scheduler.wait(pause);
    const { mined, shallow, unmined, chainNonce } = await lookForReceipts(lane, open);
    await settleMined(lane, mined);
    for (const { job } of mined) verdicts.set(job.claim.orderId, DONE);
    open = [...shallow, ...unmined];
    if (pause === LOOKS_MS.at(-1)) await rescue(lane, unmined, verdictsOfSends, chainNonce);
  }
  for (const { claim } of open) verdicts.set(claim.orderId, again(2));
  return waiting;
}

async function settleHopeless<Order, Success>(
  lane: Lane<Order, Success>,
  { refused, unfunded }: Prepared<Order>,
  verdicts: Map<string, Verdict>,
): Promise<void> {
  const now = lane.services.clock.now();
  const outOfPatience = unfunded.filter(
    ({ job }) => now - (job.transaction.heldAt?.getTime() ?? now) >= FUNDS_PATIENCE_MS,
  );
  const held = unfunded.filter((entry) => !outOfPatience.includes(entry));
  if (held.length > 0) {
    await markHeld(
      lane.services.db,
      held.map(({ job }) => job.transaction.id),
      new Date(now),
    );
    for (const { job, reason } of held) {
      lane.services.log.warn('operation.held', { orderId: job.claim.orderId, accountId: lane.account.id, reason });
      verdicts.set(job.claim.orderId, again(15));
    }
  }
  const dropped = [...refused, ...outOfPatience];
  await settleDropped(lane, dropped);
  for (const { job } of dropped) verdicts.set(job.claim.orderId, DONE);
}
