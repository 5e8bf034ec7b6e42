import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import { getAddress } from 'viem';
import type { Address } from 'viem';
import type { SystemDb } from '../platform/database/client.ts';
import { literals } from '../platform/database/literals.ts';
import {
  contracts,
  corporateAccounts,
  relayerWallets,
  transactions,
  unfinishedStates,
  webhookDeliveries,
} from '../platform/database/schema.ts';
import { CHAINS } from '../chains/list.ts';
import { idAt } from '../core/ids.ts';
import { DELIVERY_STATUSES, UNFINISHED_DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { UNFINISHED_STAGES } from '../core/order-status.ts';
import type { OrderKinds, OrderTable } from '../engine/order-kind.ts';
import { tagged } from '../platform/database/tagged.ts';

/** Finished work is only counted among this many of a table's newest rows. */
const MAX_COUNTED_ROWS = 100_000;
/** The most wallets listed, and the most whose balances are read. */
const MAX_WALLETS = 200;

/** A table of orders or events, its name in GET /status, and its unfinished states. */
export interface WorkTable {
  readonly label: string;
  readonly table: OrderTable['table'] | typeof webhookDeliveries;
  readonly statuses: readonly string[];
  readonly unfinished: readonly string[];
}

/** Counts deliveries: an event has one for each endpoint that gets it. */
export const EVENTS = 'webhookEvents';

/** The distinct tables of all order kinds, and the deliveries of events. */
export function workTables(kinds: OrderKinds): WorkTable[] {
  const tables = [...kinds.values()].flatMap(({ orders }) => (orders === null ? [] : [orders]));
  const byLabel = new Map(
    tables.map(({ label, table, statuses }): [string, WorkTable] => {
      const unfinished = [...new Set(UNFINISHED_STAGES.map((stage) => statuses[stage]))];
      return [label, { label, table, statuses: [...new Set(Object.values(statuses))], unfinished }];
    }),
  );
  const deliveries = { statuses: DELIVERY_STATUSES, unfinished: UNFINISHED_DELIVERY_STATUSES };
  return [...byLabel.values(), { label: EVENTS, table: webhookDeliveries, ...deliveries }];
}

/** The number of rows of a table in a state. */
export interface WorkCount {
  /** The table's label. */
  readonly label: string;
  readonly status: string;
  readonly count: number;
  /** Id of the oldest row; null for final states. */
  readonly oldestId: string | null;
}

const countsSchema = z.object({
  rows: z.array(
    z.object({ label: z.string(), status: z.string(), count: z.coerce.number(), oldestId: z.string().nullable() }),
  ),
});

/**
 * Counts work by state: all unfinished rows, by partial indexes that contain only those, and the finished rows accepted since
 * `since`, by time-ordered id.
 */
export async function countWork(db: SystemDb, tables: readonly WorkTable[], since: Date): Promise<WorkCount[]> {
  const parts = tables.flatMap(({ label, table, unfinished }) => {
    const states = literals(unfinished);
    return [
      sql`select ${label}::text as label, status, count(*) as count, min(id) as "oldestId"
        from ${table} where status in ${states} group by status`,
      sql`select ${label}::text, status, count(*), null from (
          select status from ${table} where id >= ${idAt(since.getTime())} order by id desc limit ${MAX_COUNTED_ROWS}
        ) recent where status not in ${states} group by status`,
    ];
  });
  return countsSchema.parse(await db.sql.execute(tagged('count-work', sql.join(parts, sql` union all `)))).rows;
}

/** A wallet on a chain and its account. */
export interface OwnedWallet {
  readonly chainId: string;
  readonly walletAddress: Address;
  readonly corporateId: string;
}

/**
 * The wallets with transactions in flight and their number of nonces, and the wallets whose balances are watched: those with
 * unfinished transactions, then those of accounts with contracts on a chain, newest first.
 */
export async function activeWallets(
  db: SystemDb,
): Promise<{ inFlight: (OwnedWallet & { nonces: number })[]; watched: OwnedWallet[] }> {
  const { corporateId, walletAddress } = corporateAccounts;
  const chains = sql`unnest(${`{${CHAINS.map(({ id }) => id).join(',')}}`}::text[]) as chains(id)`;
  const chainId = sql<string>`chains.id`;
  // One probe of an index for each account and chain, instead of all contracts.
  const newestContract = db.sql
    .select({ id: contracts.id })
    .from(contracts)
    .where(and(eq(contracts.corporateAccountId, corporateAccounts.id), eq(contracts.chainId, chainId)))
    .orderBy(desc(contracts.id))
    .limit(1)
    .as('newest');
  const [inFlight, owners, relayers] = await db.sql.batch([
    db.sql
      .select({
        chainId: transactions.chainId,
        walletAddress: transactions.walletAddress,
        corporateId,
        nonces: sql<number>`count(${transactions.nonce})`.mapWith(Number),
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, transactions.corporateAccountId))
      .where(sql`${transactions.state} in ${unfinishedStates}`)
      .groupBy(transactions.chainId, transactions.walletAddress, corporateId)
      .limit(MAX_WALLETS),
    db.sql
      .select({ chainId, walletAddress, corporateId })
      .from(corporateAccounts)
      .innerJoin(chains, sql`true`)
      .innerJoinLateral(newestContract, sql`true`)
      .where(eq(corporateAccounts.status, 'ACTIVE'))
      .orderBy(desc(newestContract.id))
      .limit(MAX_WALLETS),
    db.sql
      .select({ chainId, walletAddress: relayerWallets.address, corporateId })
      .from(corporateAccounts)
      .innerJoin(relayerWallets, eq(relayerWallets.corporateAccountId, corporateAccounts.id))
      .innerJoin(chains, sql`true`)
      .innerJoinLateral(newestContract, sql`true`)
      .where(and(eq(corporateAccounts.status, 'ACTIVE'), isNull(relayerWallets.replacedAt)))
      .orderBy(desc(newestContract.id))
      .limit(MAX_WALLETS),
  ]);
  // Transactions have the address in lower case.
  const busy = inFlight.map((wallet) => ({ ...wallet, walletAddress: getAddress(wallet.walletAddress) }));
  const watched = new Map(
    [...busy, ...owners, ...relayers].map(({ chainId, walletAddress: address, corporateId: owner }) => [
      `${chainId}:${address}`,
      { chainId, walletAddress: address, corporateId: owner },
    ]),
  );
  return {
    inFlight: busy.filter(({ nonces }) => nonces > 0),
    watched: [...watched.values()].slice(0, MAX_WALLETS),
  };
}
