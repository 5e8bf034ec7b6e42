import { and, eq, gte, inArray, lte, max, or, sql } from 'drizzle-orm';
import { parseTransaction, type Address, type Hex } from 'viem';
import { callKey } from './call-key.ts';
import { accountColumns } from '../../src/accounts/accounts.store.ts';
import { lowerCase } from '../../src/core/lower-case.ts';
import { UNFINISHED_STATES, type UnfinishedState } from '../../src/core/order-status.ts';
import { lowestCount } from '../../src/engine/evidence.ts';
import type { Job } from '../../src/engine/job.ts';
import { readJobs, selectAttempts, selectJobs } from '../../src/engine/store/jobs.ts';
import { orderKinds } from '../../src/orders/kinds.ts';
import { runBatch, type SystemDb } from '../../src/platform/database/client.ts';
import {
  attempts,
  corporateAccounts,
  lanes,
  relayerWallets,
  transactions,
} from '../../src/platform/database/schema.ts';

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

/** @returns when the database last changed a transaction; undefined if it has none. */
export async function lastChange(db: SystemDb): Promise<Date | undefined> {
  const [row] = await db.sql.select({ at: max(transactions.updatedAt) }).from(transactions);
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

/**
 * @param reorganized Ids of transactions whose end does not count.
 * @param readFor What was accepted from then on has been carried out in the blocks that are read, if at all.
 * @returns the nonce of each wallet from which on the chain must show what used each: the lowest that a signed
 *   transaction holds, or if it is lower the first one after those that an ended transaction or the lane knows to be
 *   used. Whoever used the others, it was before the backup. Of a wallet with neither, it is the first nonce of all if
 *   one of its orders was accepted before; otherwise no older block can have carried one out. Wallets with nothing to look for are absent.
 */
export async function openNonces(
  db: SystemDb,
  chainId: string,
  reorganized: readonly string[],
  readFor: Date,
): Promise<Map<Address, number>> {
  const { id, walletAddress: wallet, nonce, state, createdAt } = transactions;
  const isSigned = or(eq(state, 'signed'), inArray(id, [...reorganized]));
  const isOpen = inArray(state, [...UNFINISHED_STATES]);
  const [rows, driven] = await Promise.all([
    db.sql
      .select({
        wallet,
        signed: sql<string | null>`min(${nonce}) filter (where ${isSigned})`,
        ended: sql<string | null>`max(${nonce}) filter (where not (${isSigned}))`,
        isOlder: sql<boolean>`coalesce(min(${createdAt}) filter (where ${isOpen}) < ${readFor.toISOString()}::timestamptz, false)`,
      })
      .from(transactions)
      .where(eq(transactions.chainId, chainId))
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
      if (row.signed === null && ended === 0 && !row.isOlder) return [];
      return [[row.wallet, Math.min(ended, Number(row.signed ?? Infinity))] as const];
    }),
  );
}

/**
 * @returns the ids of the chains whose transactions may be carried out again, or have their end undone: because they
 *   have not ended finally, or have changed since a time, so that what was signed since may be unknown.
 */
export async function openChains(db: SystemDb, since: Date): Promise<readonly string[]> {
  const { chainId, state, isFinal, updatedAt } = transactions;
  const isOpen = or(
    inArray(state, [...UNFINISHED_STATES]),
    and(eq(state, 'confirmed'), eq(isFinal, false)),
    gte(updatedAt, since),
  );
  const rows = await db.sql.selectDistinct({ chainId }).from(transactions).where(isOpen).orderBy(chainId);
  return rows.map((row) => row.chainId);
}

/** @returns the transactions on a chain that were confirmed in a block up to this one, which was not final then. */
export async function confirmedBeforeFinality(db: SystemDb, chainId: string, toBlock: number): Promise<readonly Job[]> {
  const { chainId: chain, state, isFinal, blockNumber } = transactions;
  const condition = and(eq(chain, chainId), eq(state, 'confirmed'), eq(isFinal, false), lte(blockNumber, toBlock));
  if (condition === undefined) throw new Error('A reading has a condition');
  const kinds = [...orderKinds.values()];
  return readJobs(kinds, await runBatch(db, selectJobs(db, kinds, condition))).jobs;
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
  const isOpen = or(inArray(transactions.state, [...UNFINISHED_STATES]), inArray(transactions.id, [...reorganized]));
  const condition = and(eq(transactions.chainId, chainId), isOpen);
  if (condition === undefined) throw new Error('A reading has a condition');
  const kinds = [...orderKinds.values()];
  const [rows, accounts, { attempted, loaded }] = await Promise.all([
    db.sql.select().from(transactions).where(condition).orderBy(transactions.id),
    db.sql.select(accountColumns).from(corporateAccounts),
    runBatch(db, {
      attempted: selectAttempts(db, condition),
      loaded: kinds.map((kind) => kind.load(db, condition)),
    }),
  ]);
  const accountOf = new Map(accounts.map((account) => [account.id, account]));
  const orders = new Map(
    kinds.flatMap((kind, index) =>
      (loaded[index] ?? []).map(({ orderId, order }) => [`${kind.name}:${orderId}`, { kind, order }] as const),
    ),
  );
  const attemptsOf = Map.groupBy(
    attempted.map(({ attempt }) => attempt),
    ({ transactionId }) => transactionId,
  );
  const bundles = new Set(rows.map(({ bundleId }) => bundleId));
  const unfinished = rows.map(
    ({
      id,
      bundleId,
      orderId,
      kind,
      corporateAccountId,
      walletAddress: wallet,
      state,
      version: stored,
      nonce,
      createdAt: acceptedAt,
    }) => {
      const own = attemptsOf.get(id) ?? [];
      const calls = own.flatMap(({ raw, purpose }) => (raw === '0x' || purpose === 'cancel' ? [] : [callOfBytes(raw)]));
      const found = orders.get(`${kind}:${orderId}`);
      const account = accountOf.get(corporateAccountId);
      // An empty bundle is a transfer of nothing, as what cancels one that carries orders.
      const isShared = bundles.has(id);
      if (!isShared && found !== undefined && account !== undefined) {
        try {
          const { to, data } = found.kind.call({
            orderId,
            chainId,
            account: { ...account, walletAddress: wallet },
            order: found.order,
          });
          calls.push(callKey(to, data));
        } catch {
          // It cannot be carried out, so nothing on chain can be its transaction.
        }
      }
      const fields = { id, bundleId, orderId, kind, wallet, nonce, acceptedAt };
      const stage: UnfinishedState = state === 'waiting' || nonce === null ? 'waiting' : 'signed';
      const version = reorganized.includes(id) ? stored + 1 : stored;
      return { ...fields, version, state: stage, isCarried: bundleId !== null, calls: new Set(calls) };
    },
  );
  const listed = new Set(unfinished.map(({ id }) => id));
  const carriedBy = Map.groupBy(unfinished, ({ bundleId }) => bundleId);
  return unfinished
    .filter(({ bundleId }) => bundleId === null || !listed.has(bundleId))
    .map((one) => ({ ...one, carried: (carriedBy.get(one.id) ?? []).map((each) => ({ ...each, carried: [] })) }));
}

function callOfBytes(raw: Hex): string {
  const { to, data } = parseTransaction(raw);
  return callKey(to, data);
}
