import { desc, eq, inArray, max, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Address } from 'viem';
import type { SystemDb } from '../platform/database/client.ts';
import {
  contracts,
  corporateAccounts,
  mintingOrders,
  ownershipTransfers,
  oldTransactions as transactions,
  transferOrders,
  webhookEvents,
} from '../platform/database/schema.ts';
import { idAt } from '../core/ids.ts';

/** Finished work is counted among so many of a table's newest rows, whatever the time asked for. */
const COUNTED_ROWS = 100_000;
/** How many wallets are listed, and how many are asked for their balance. */
const WALLETS = 200;

/** The states of each kind of work: those that are not its end first. */
const KINDS = {
  minting: { table: mintingOrders, unfinished: ['PENDING', 'PROCESSING', 'SENT'] },
  transfers: { table: transferOrders, unfinished: ['PENDING', 'PROCESSING', 'SENT'] },
  ownershipTransfers: { table: ownershipTransfers, unfinished: ['PENDING', 'PROCESSING', 'SENT'] },
  contracts: { table: contracts, unfinished: ['DEPLOYING'] },
  webhookEvents: { table: webhookEvents, unfinished: ['PENDING', 'RETRYING'] },
} as const satisfies Record<string, { table: PgTable; unfinished: readonly string[] }>;

export type WorkKind = keyof typeof KINDS;

/** How much work of a kind is in a state. */
export interface WorkCount {
  readonly kind: WorkKind;
  readonly status: string;
  readonly count: number;
  /** Id of the oldest; null for states that are an end. */
  readonly oldestId: string | null;
}

const countsSchema = z.object({
  rows: z.array(
    z.object({
      kind: z.enum(['minting', 'transfers', 'ownershipTransfers', 'contracts', 'webhookEvents']),
      status: z.string(),
      count: z.coerce.number(),
      oldestId: z.string().nullable(),
    }),
  ),
});

/**
 * Counts work by its state: all that is unfinished, by the partial indexes that have nothing else in them, and of what
 * has ended that which was accepted since `since`, by the time-ordered ids.
 */
export async function countWork(db: SystemDb, since: Date): Promise<WorkCount[]> {
  const parts = Object.entries(KINDS).flatMap(([kind, { table, unfinished }]) => {
    // Literals: as parameters the planner could not prove that the partial index has them all.
    const states = sql.raw(unfinished.map((status) => `'${status}'`).join(', '));
    return [
      sql`select ${kind}::text as kind, status, count(*) as count, min(id) as "oldestId"
        from ${table} where status in (${states}) group by status`,
      sql`select ${kind}::text, status, count(*), null from (
          select status from ${table} where id >= ${idAt(since.getTime())} order by id desc limit ${COUNTED_ROWS}
        ) recent where status not in (${states}) group by status`,
    ];
  });
  return countsSchema.parse(await db.sql.execute(sql.join(parts, sql` union all `))).rows;
}

/** A wallet on a chain, and whose it is. */
export interface OwnedWallet {
  readonly chainId: string;
  readonly walletAddress: Address;
  readonly corporateId: string;
}

/**
 * The wallets that are at work, with how many nonces each holds in flight; and the wallets whose balance matters: these,
 * and those of accounts that have contracts on a chain, the newest first.
 */
export async function walletsAtWork(
  db: SystemDb,
): Promise<{ inFlight: (OwnedWallet & { nonces: number })[]; watched: OwnedWallet[] }> {
  const { corporateId, walletAddress } = corporateAccounts;
  const [inFlight, owners] = await db.sql.batch([
    db.sql
      .select({
        chainId: transactions.chainId,
        walletAddress: transactions.walletAddress,
        corporateId,
        nonces: sql<number>`count(${transactions.nonce})`.mapWith(Number),
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(walletAddress, transactions.walletAddress))
      .where(inArray(transactions.state, ['preparing', 'signed', 'broadcast']))
      .groupBy(transactions.chainId, transactions.walletAddress, corporateId)
      .limit(WALLETS),
    db.sql
      .select({ chainId: contracts.chainId, walletAddress, corporateId })
      .from(contracts)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .where(eq(corporateAccounts.status, 'ACTIVE'))
      .groupBy(contracts.chainId, walletAddress, corporateId)
      .orderBy(desc(max(contracts.id)))
      .limit(WALLETS),
  ]);
  const watched = new Map(
    [...inFlight, ...owners].map(({ chainId, walletAddress: address, corporateId: owner }) => [
      `${chainId}:${address}`,
      { chainId, walletAddress: address, corporateId: owner },
    ]),
  );
  return { inFlight: inFlight.filter(({ nonces }) => nonces > 0), watched: [...watched.values()].slice(0, WALLETS) };
}
