import { desc, eq, max, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Address } from 'viem';
import type { SystemDb } from '../platform/database/client.ts';
import { contracts, corporateAccounts, transactions, webhookDeliveries } from '../platform/database/schema.ts';
import { idAt } from '../core/ids.ts';
import { UNFINISHED_STAGES } from '../core/order-status.ts';
import type { OrderKinds, OrderTable } from '../engine/order-kind.ts';
import { DELIVERY_STATUSES } from '../webhooks/event.ts';
import { tagged } from '../platform/database/tagged.ts';

/** Finished work is counted among so many of a table's newest rows, whatever the time asked for. */
const COUNTED_ROWS = 100_000;
/** How many wallets are listed, and how many are asked for their balance. */
const WALLETS = 200;

/** A table of work, what GET /status calls it, and the states that are not an end. */
export interface WorkTable {
  readonly label: string;
  readonly table: OrderTable['table'] | typeof webhookDeliveries;
  readonly statuses: readonly string[];
  readonly unfinished: readonly string[];
}

/** Counts deliveries: an event has one for each endpoint that gets it. */
export const EVENTS = 'webhookEvents';

/** The tables of all kinds of orders, each once, and the deliveries of events. */
export function workTables(kinds: OrderKinds): WorkTable[] {
  const tables = [...kinds.values()].flatMap(({ orders }) => (orders === null ? [] : [orders]));
  const byLabel = new Map(
    tables.map(({ label, table, statuses }): [string, WorkTable] => {
      const unfinished = [...new Set(UNFINISHED_STAGES.map((stage) => statuses[stage]))];
      return [label, { label, table, statuses: [...new Set(Object.values(statuses))], unfinished }];
    }),
  );
  return [...byLabel.values(), { label: EVENTS, table: webhookDeliveries, ...DELIVERY_STATUSES }];
}

/** How much work of a table is in a state. */
export interface WorkCount {
  /** Of the table. */
  readonly label: string;
  readonly status: string;
  readonly count: number;
  /** Id of the oldest; null for states that are an end. */
  readonly oldestId: string | null;
}

const countsSchema = z.object({
  rows: z.array(
    z.object({ label: z.string(), status: z.string(), count: z.coerce.number(), oldestId: z.string().nullable() }),
  ),
});

/**
 * Counts work by its state: all that is unfinished, by the partial indexes that have nothing else in them, and of what
 * has ended that which was accepted since `since`, by the time-ordered ids.
 */
export async function countWork(db: SystemDb, tables: readonly WorkTable[], since: Date): Promise<WorkCount[]> {
  const parts = tables.flatMap(({ label, table, unfinished }) => {
    // Literals: as parameters the planner could not prove that the partial index has them all.
    const states = sql.raw(unfinished.map((status) => `'${status}'`).join(', '));
    return [
      sql`select ${label}::text as label, status, count(*) as count, min(id) as "oldestId"
        from ${table} where status in (${states}) group by status`,
      sql`select ${label}::text, status, count(*), null from (
          select status from ${table} where id >= ${idAt(since.getTime())} order by id desc limit ${COUNTED_ROWS}
        ) recent where status not in (${states}) group by status`,
    ];
  });
  return countsSchema.parse(await db.sql.execute(tagged('count-work', sql.join(parts, sql` union all `)))).rows;
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
        walletAddress,
        corporateId,
        nonces: sql<number>`count(${transactions.nonce})`.mapWith(Number),
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, transactions.corporateAccountId))
      // A literal: as a parameter the planner could not prove that the partial index has them all.
      .where(sql`${transactions.state} in ('waiting', 'signed')`)
      .groupBy(transactions.chainId, walletAddress, corporateId)
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
