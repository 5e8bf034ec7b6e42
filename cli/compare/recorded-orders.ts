import { and, eq, gte, inArray, lte, max, or, sql, type SQL } from 'drizzle-orm';
import { parseTransaction, type Address, type Hex } from 'viem';
import { callKey } from './call-key.ts';
import { lowerCase } from '../../src/core/lower-case.ts';
import { UNFINISHED_STATES, type UnfinishedState } from '../../src/platform/database/vocabulary/order-status.ts';
import { lowestCount } from '../../src/engine/evidence.ts';
import type { Job } from '../../src/engine/job.ts';
import { readJobs, selectJobs, type Jobs } from '../../src/engine/store/jobs.ts';
import { orderKinds } from '../../src/orders/kinds.ts';
import { runBatch, type SystemDb } from '../../src/platform/database/client.ts';
import { attempts, corporateAccounts, lanes, relayerWallets, orders } from '../../src/platform/database/schema.ts';

/** A transaction that has not ended, with every call that can carry it out. */
export interface UnfinishedTransaction {
  readonly id: string;
  readonly orderId: string;
  readonly kind: string;
  readonly wallet: Address;
  readonly state: UnfinishedState;
  readonly version: number;
  readonly nonce: number | null;
  readonly acceptedAt: Date;
  /** `to:data` in lower case: those of its attempts, and what this version would sign. */
  readonly calls: ReadonlySet<string>;
  /** Whether it is in a bundle, perhaps one that has ended. */
  readonly isCarried: boolean;
  /** Of a bundle, what it carries: those share its attempts and its nonce. */
  readonly carried: readonly UnfinishedTransaction[];
}

/** @returns the wallets of all accounts, those of relayers and replaced ones included, lower case. */
export async function accountWallets(db: SystemDb): Promise<Set<Address>> {
  const [main, relayers] = await Promise.all([
    db.sql.selectDistinct({ address: corporateAccounts.walletAddress }).from(corporateAccounts),
    db.sql.select({ address: relayerWallets.address }).from(relayerWallets),
  ]);
  return new Set([...main, ...relayers].map(({ address }) => lowerCase(address)));
}

/**
 * @returns when the database last changed a transaction; undefined if it has none. What another deployment has carried
 *   out has that one's times.
 */
export async function lastChange(db: SystemDb): Promise<Date | undefined> {
  const { updatedAt, walletAddress } = orders;
  const isOwn = sql`${walletAddress} <> ''`;
  const [row] = await db.sql
    .select({ at: max(updatedAt) })
    .from(orders)
    .where(isOwn);
  return row?.at ?? undefined;
}

/** @returns those hashes that are of attempts in the database. */
export async function knownHashes(db: SystemDb, hashes: readonly Hex[]): Promise<Set<Hex>> {
  if (hashes.length === 0) return new Set();
  const rows = await db.sql
    .select({ hash: attempts.hash })
    .from(attempts)
    .where(sql`${attempts.hash} in (select jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`);
  return new Set(rows.map(({ hash }) => hash));
}

/** Which nonces of a wallet may be those of orders. */
export interface OpenNonces {
  /** Whoever used those below, it was before the backup. */
  readonly first: number;
  /** Whether blocks older than those that are read may have carried out an order. */
  readonly mayBeOlder: boolean;
}

/**
 * @param reorganized Ids of transactions whose end does not count.
 * @param readFor What was accepted from then on has been carried out in the blocks that are read, if at all.
 * @returns for each wallet: the lowest nonce that a signed transaction holds, or if it is lower the first one after
 *   those that an ended transaction or the lane knows to be used. Of a wallet with neither, it is the first nonce of all,
 *   and older blocks matter only if one of its orders was accepted before. Wallets without anything of these are absent.
 */
export async function openNonces(
  db: SystemDb,
  chainId: string,
  reorganized: readonly string[],
  readFor: Date,
): Promise<Map<Address, OpenNonces>> {
  const { id, walletAddress: wallet, nonce, state, createdAt } = orders;
  const isSigned = or(eq(state, 'signed'), inArray(id, [...reorganized]));
  const isOpen = inArray(state, [...UNFINISHED_STATES]);
  const [rows, driven] = await Promise.all([
    db.sql
      .select({
        wallet,
        signed: sql<string | null>`min(${nonce}) filter (where ${isSigned})`,
        ended: sql<string | null>`max(${nonce}) filter (where not (${isSigned}))`,
        isOpen: sql<boolean>`coalesce(bool_or(${isOpen}), false)`,
        isOlder: sql<boolean>`coalesce(min(${createdAt}) filter (where ${isOpen}) < ${readFor.toISOString()}::timestamptz, false)`,
      })
      .from(orders)
      .where(eq(orders.chainId, chainId))
      .groupBy(wallet),
    db.sql
      .select({ wallet: lanes.walletAddress, floor: lanes.floor, observations: lanes.observations })
      .from(lanes)
      .where(eq(lanes.chainId, chainId)),
  ]);
  const observed = new Map(
    driven.map((lane) => [lane.wallet, Math.max(lane.floor, lowestCount(lane.observations) ?? 0)]),
  );
  return new Map(
    rows.flatMap((row) => {
      const seen = observed.get(row.wallet) ?? 0;
      const ended = row.ended === null ? seen : Math.max(seen, Number(row.ended) + 1);
      const isKnown = row.signed !== null || ended > 0;
      if (!isKnown && !row.isOpen) return [];
      const first = Math.min(ended, Number(row.signed ?? Infinity));
      return [[row.wallet, { first, mayBeOlder: isKnown || row.isOlder }] as const];
    }),
  );
}

/**
 * @returns the ids of the chains whose transactions may be carried out again, or have their end undone: because they
 *   have not ended finally, or have changed since a time, so that what was signed since may be unknown.
 */
export async function openChains(db: SystemDb, since: Date): Promise<readonly string[]> {
  const { chainId, state, isFinal, updatedAt, walletAddress } = orders;
  const isOpen = or(
    inArray(state, [...UNFINISHED_STATES]),
    and(eq(state, 'confirmed'), eq(isFinal, false)),
    and(gte(updatedAt, since), sql`${walletAddress} <> ''`),
  );
  const rows = await db.sql.selectDistinct({ chainId }).from(orders).where(isOpen).orderBy(chainId);
  return rows.map((row) => row.chainId);
}

/** @returns the transactions on a chain that were confirmed in a block up to this one, which was not final then. */
export async function confirmedBeforeFinality(db: SystemDb, chainId: string, toBlock: number): Promise<readonly Job[]> {
  const { chainId: chain, state, isFinal, blockNumber } = orders;
  const condition = and(eq(chain, chainId), eq(state, 'confirmed'), eq(isFinal, false), lte(blockNumber, toBlock));
  if (condition === undefined) throw new Error('A reading has a condition');
  return (await jobsWhere(db, condition)).jobs;
}

/**
 * @param reorganized Ids of transactions whose end does not count; they are returned as reopening leaves them.
 * @returns the transactions on a chain that have not ended, in order of acceptance; what a bundle carries that has not
 *   ended is listed with it.
 */
export async function unfinishedTransactions(
  db: SystemDb,
  chainId: string,
  reorganized: readonly string[],
): Promise<UnfinishedTransaction[]> {
  const isOpen = or(inArray(orders.state, [...UNFINISHED_STATES]), inArray(orders.id, [...reorganized]));
  const condition = and(eq(orders.chainId, chainId), isOpen);
  if (condition === undefined) throw new Error('A reading has a condition');
  const { jobs, unknown } = await jobsWhere(db, condition);
  const bundles = new Set([...jobs, ...unknown].map(({ transaction }) => transaction.bundleId));
  const unfinished = [
    // An empty bundle is a transfer of nothing, as what cancels one that carries orders.
    ...jobs.map((job) => stageOf(job, reorganized, bundles.has(job.transaction.id) ? [] : callsOf(job))),
    ...unknown.map((one) => stageOf(one, reorganized, [])),
  ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const listed = new Set(unfinished.map(({ id }) => id));
  const carriedBy = Map.groupBy(unfinished, ({ bundleId }) => bundleId);
  return unfinished
    .filter(({ bundleId }) => bundleId === null || !listed.has(bundleId))
    .map((one) => ({ ...one, carried: (carriedBy.get(one.id) ?? []).map((each) => ({ ...each, carried: [] })) }));
}

async function jobsWhere(db: SystemDb, condition: SQL): Promise<Jobs> {
  const kinds = [...orderKinds.values()];
  const { reply } = await runBatch(db, { reply: selectJobs(db, kinds, condition) });
  return readJobs(kinds, reply);
}

/** What this version would sign. */
function callsOf({ kind, claim, transaction }: Job): readonly string[] {
  try {
    const account = { ...claim.account, walletAddress: transaction.walletAddress };
    const { to, data } = kind.call({ ...claim, account });
    return [callKey(to, data)];
  } catch {
    // It cannot be carried out, so nothing on chain can be its transaction.
    return [];
  }
}

/** @param calls Besides those of its attempts. */
function stageOf(
  { transaction, attempts: all }: Jobs['unknown'][number],
  reorganized: readonly string[],
  calls: readonly string[],
) {
  const { id, bundleId, orderId, kind, walletAddress: wallet, nonce, createdAt: acceptedAt } = transaction;
  const own = all.filter(({ transactionId }) => transactionId === id);
  const signed = own.flatMap(({ raw, purpose }) => (raw === '0x' || purpose === 'cancel' ? [] : [callOfBytes(raw)]));
  const fields = { id, bundleId, orderId, kind, wallet, nonce, acceptedAt };
  const state: UnfinishedState = transaction.state === 'waiting' || nonce === null ? 'waiting' : 'signed';
  const version = reorganized.includes(id) ? transaction.version + 1 : transaction.version;
  return { ...fields, version, state, isCarried: bundleId !== null, calls: new Set([...signed, ...calls]) };
}

function callOfBytes(raw: Hex): string {
  const { to, data } = parseTransaction(raw);
  return callKey(to, data);
}
