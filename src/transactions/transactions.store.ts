import { and, eq, gte, inArray, isNotNull, lte, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { Database, Statement, SystemDb } from '../platform/database/client.ts';
import { recordset } from '../platform/database/values-table.ts';
import { oldTransactions as transactions } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import type { Claim, Operation } from './operation.ts';

export type Transaction = typeof transactions.$inferSelect;

const UNFINISHED = ['preparing', 'signed', 'broadcast'] as const;

/** An attempt to have an operation mined: bytes that are signed, and what they are worth to a miner. */
export interface Attempt {
  readonly transactionId: string;
  readonly nonce: number;
  readonly rawTransaction: Hex;
  readonly hash: Hex;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly signedAt: Date;
}

/** How a transaction ends. */
export interface Ending {
  readonly transactionId: string;
  readonly state: 'confirmed' | 'reverted' | 'dropped';
}

/**
 * The transaction of each claimed operation; made, in `preparing`, where there is none.
 * Two consumers that ask at once get the same rows.
 */
export async function transactionsOf<Order>(
  db: SystemDb,
  kind: Operation<Order, unknown>['kind'],
  claims: readonly Claim<Order>[],
  now: Date,
): Promise<Transaction[]> {
  if (claims.length === 0) return [];
  const values = claims.map(({ orderId, chainId, account }) => ({
    id: newId(now.getTime()),
    kind,
    orderId,
    chainId,
    walletAddress: account.walletAddress,
    state: 'preparing' as const,
    createdAt: now,
    updatedAt: now,
  }));
  const orderIds = claims.map(({ orderId }) => orderId);
  const [, rows] = await db.sql.batch([
    db.sql.insert(transactions).values(values).onConflictDoNothing(),
    db.sql
      .select()
      .from(transactions)
      .where(and(eq(transactions.kind, kind), inArray(transactions.orderId, orderIds))),
  ]);
  return rows;
}

/**
 * Stores first attempts. From here on an operation may be on its way, and only its stored bytes are ever sent.
 * An operation that is no longer `preparing` is left alone: another consumer was faster.
 * @returns the ids of the transactions that took their attempt.
 */
export async function storeSigned(db: SystemDb, attempts: readonly Attempt[]): Promise<Set<string>> {
  if (attempts.length === 0) return new Set();
  const rows = await db.sql
    .update(transactions)
    .set({
      state: 'signed',
      nonce: sql`v.nonce`,
      rawTransaction: sql`v.raw`,
      hashes: sql`${transactions.hashes} || v.hash`,
      maxFeePerGas: sql`v.max_fee`,
      maxPriorityFeePerGas: sql`v.max_tip`,
      signedAt: sql`v.signed_at`,
      updatedAt: sql`v.signed_at`,
      heldAt: null,
    })
    .from(attemptRows(attempts))
    .where(and(sql`${transactions.id} = v.id`, eq(transactions.state, 'preparing')))
    .returning({ id: transactions.id });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores a further attempt for the same nonce, beside the hashes of those before.
 * @param known How many attempts the caller knows of: with another consumer's attempt between, this one is not taken.
 * @returns whether it was taken; only then may its bytes be sent.
 */
export async function storeReplacement(db: SystemDb, attempt: Attempt, known: number): Promise<boolean> {
  const rows = await db.sql
    .update(transactions)
    .set({
      state: 'signed',
      rawTransaction: attempt.rawTransaction,
      hashes: sql`${transactions.hashes} || ${attempt.hash}::text`,
      maxFeePerGas: attempt.maxFeePerGas.toString(),
      maxPriorityFeePerGas: attempt.maxPriorityFeePerGas.toString(),
      signedAt: attempt.signedAt,
      updatedAt: attempt.signedAt,
    })
    .where(
      and(
        eq(transactions.id, attempt.transactionId),
        inArray(transactions.state, ['signed', 'broadcast']),
        eq(transactions.nonce, attempt.nonce),
        sql`cardinality(${transactions.hashes}) = ${known}`,
      ),
    )
    .returning({ id: transactions.id });
  return rows.length === 1;
}

/** Notes that a node took the bytes of these transactions. */
export function markBroadcast(db: SystemDb, ids: readonly string[], now: Date): Statement {
  return db.sql
    .update(transactions)
    .set({ state: 'broadcast', updatedAt: now })
    .where(and(inArray(transactions.id, [...ids]), eq(transactions.state, 'signed')));
}

/**
 * Sends operations back to `preparing` whose nonce a stranger's transaction took: none of their bytes can ever be mined.
 * Their hashes are kept.
 */
export async function forgetNonce(db: SystemDb, id: string, nonce: number, now: Date): Promise<void> {
  await db.sql
    .update(transactions)
    .set({ state: 'preparing', nonce: null, rawTransaction: null, updatedAt: now })
    .where(
      and(eq(transactions.id, id), eq(transactions.nonce, nonce), inArray(transactions.state, ['signed', 'broadcast'])),
    );
}

/** Notes since when these operations wait for funds; the first note stays. */
export async function markHeld(db: SystemDb, ids: readonly string[], now: Date): Promise<void> {
  await db.sql
    .update(transactions)
    .set({ heldAt: sql`coalesce(${transactions.heldAt}, ${now.toISOString()}::timestamptz)`, updatedAt: now })
    .where(and(inArray(transactions.id, [...ids]), eq(transactions.state, 'preparing')));
}

/**
 * The first statement of a settle: ends transactions, each only from a state that allows it, and marks those it ended
 * with the settle's id. A transaction that another settle has ended keeps that one's mark, and so nothing of this
 * settle that is bound to its own id (`bySettlement`) touches it.
 */
export function endTransactions(db: Database, settlementId: string, endings: readonly Ending[], now: Date): Statement {
  const rows = endings.map(({ transactionId, state }) => ({ id: transactionId, state }));
  return db
    .update(transactions)
    .set({ state: sql`v.state`, settlementId, updatedAt: now })
    .from(recordset('v', { id: 'text', state: 'text' }, rows))
    .where(
      and(
        sql`${transactions.id} = v.id`,
        // Only what was never signed can be dropped; only what was signed can have been mined.
        sql`(v.state = 'dropped') = (${transactions.state} = 'preparing')`,
        inArray(transactions.state, [...UNFINISHED]),
      ),
    );
}

/** The nonces that stored transactions of a wallet hold, from `chainNonce` up. */
export async function heldNonces(
  db: SystemDb,
  { chainId, walletAddress }: Wallet,
  chainNonce: number,
): Promise<{ transactionId: string; nonce: number }[]> {
  const rows = await db.sql
    .select({ transactionId: transactions.id, nonce: transactions.nonce })
    .from(transactions)
    .where(
      and(
        eq(transactions.chainId, chainId),
        eq(transactions.walletAddress, walletAddress),
        gte(transactions.nonce, chainNonce),
        isNotNull(transactions.nonce),
      ),
    );
  return rows.flatMap(({ transactionId, nonce }) => (nonce === null ? [] : [{ transactionId, nonce }]));
}

/** A wallet on a chain. */
export interface Wallet {
  readonly chainId: string;
  readonly walletAddress: Address;
}

/** The wallets that have transactions which nothing has touched since `before`. */
export async function idleWallets(db: SystemDb, before: Date): Promise<Wallet[]> {
  return await db.sql
    .selectDistinct({ chainId: transactions.chainId, walletAddress: transactions.walletAddress })
    .from(transactions)
    .where(and(inArray(transactions.state, [...UNFINISHED]), lte(transactions.updatedAt, before)));
}

/** Order ids of the fills that are not finished; of one wallet, or of all that nothing has touched since `before`. */
export async function unfinishedFills(db: SystemDb, scope: Wallet | { readonly before: Date }): Promise<string[]> {
  const rows = await db.sql
    .select({ orderId: transactions.orderId })
    .from(transactions)
    .where(
      and(
        eq(transactions.kind, 'fill'),
        inArray(transactions.state, [...UNFINISHED]),
        'before' in scope
          ? lte(transactions.updatedAt, scope.before)
          : and(eq(transactions.chainId, scope.chainId), eq(transactions.walletAddress, scope.walletAddress)),
      ),
    );
  return rows.map(({ orderId }) => orderId);
}

/** The transactions of these ids as far as their nonces go. */
export async function standingOf(
  db: SystemDb,
  ids: readonly string[],
): Promise<Map<string, { readonly state: Transaction['state']; readonly nonce: number | null }>> {
  const rows = await db.sql
    .select({ id: transactions.id, state: transactions.state, nonce: transactions.nonce })
    .from(transactions)
    .where(inArray(transactions.id, [...ids]));
  return new Map(rows.map(({ id, ...standing }) => [id, standing]));
}

function attemptRows(attempts: readonly Attempt[]) {
  return recordset(
    'v',
    {
      id: 'text',
      nonce: 'bigint',
      raw: 'text',
      hash: 'text',
      max_fee: 'numeric',
      max_tip: 'numeric',
      signed_at: 'timestamptz',
    },
    attempts.map((attempt) => ({
      id: attempt.transactionId,
      nonce: attempt.nonce,
      raw: attempt.rawTransaction,
      hash: attempt.hash,
      max_fee: attempt.maxFeePerGas,
      max_tip: attempt.maxPriorityFeePerGas,
      signed_at: attempt.signedAt.toISOString(),
    })),
  );
}
