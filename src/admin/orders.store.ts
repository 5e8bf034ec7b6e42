import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { accountColumns } from '../accounts/accounts.store.ts';
import type { Account } from '../accounts/account.ts';
import { CHAINS } from '../chains/list.ts';
import { HOLD_REASONS } from '../core/hold-reason.ts';
import type { HoldReason } from '../core/hold-reason.ts';
import { END_STATES, UNFINISHED_STATES } from '../core/transaction-state.ts';
import type { SystemDb } from '../platform/database/client.ts';
import {
  attempts,
  contracts,
  corporateAccounts,
  mintingOrders,
  tokenOrderTables,
  transactions,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';

/** Which orders to find. Addresses and hashes are in lower case. */
export type OrderSearch =
  | { readonly type: 'newest' }
  | { readonly type: 'order'; readonly orderId: string }
  | { readonly type: 'transaction'; readonly hash: Hex }
  /** A wallet of an account, a receiver, a former holder or a contract. */
  | { readonly type: 'address'; readonly address: Address }
  | { readonly type: 'token'; readonly contractAddress: Address; readonly tokenId: string };

const orderRow = z.object({
  id: z.string(),
  kind: z.string(),
  corporateId: z.string(),
  chainId: z.string(),
  walletAddress: z.string(),
  state: z.enum([...UNFINISHED_STATES, ...END_STATES]),
  nonce: z.coerce.number().nullable(),
  txHash: z.string().nullable(),
  holdReason: z.custom<HoldReason>((value) => typeof value === 'string' && value in HOLD_REASONS).nullable(),
  cancelRequestedAt: z.coerce.date().nullable(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
});

/** An order of any account, by its transaction. */
export type FoundOrder = z.output<typeof orderRow>;

const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row) });

/**
 * Orders of all accounts, newest first, at most `limit`. Every search goes through indexes: those that begin with the account are entered
 * once for each account.
 * @param kinds The names of the kinds of orders.
 */
export async function findOrders(
  db: SystemDb,
  kinds: readonly string[],
  search: OrderSearch,
  limit: number,
): Promise<FoundOrder[]> {
  const names = sql.join(
    kinds.map((kind) => sql`${kind}`),
    sql`, `,
  );
  // The limits keep the planner from joining whole tables.
  const ofOrders = (orderIds: SQL) =>
    sql`select o.id from (${orderIds}) found cross join lateral (
      select id from ${transactions} where kind in (${names}) and order_id = found.id limit ${kinds.length}) o`;
  const found =
    search.type === 'newest'
      ? sql`select id from ${transactions} where kind in (${names}) order by id desc limit ${limit}`
      : sql`select distinct id from (${idsOf(search, ofOrders, limit)}) found (id) order by id desc limit ${limit}`;
  const reply = await db.sql.execute(
    tagged(
      'find-orders',
      sql`
      select t.order_id as id, t.kind, a.corporate_id as "corporateId", t.chain_id as "chainId",
        t.wallet_address as "walletAddress", t.state, t.nonce, t.tx_hash as "txHash", t.hold_reason as "holdReason",
        t.cancel_requested_at as "cancelRequestedAt", t.created_at as "createdAt", t.updated_at as "updatedAt"
      from (${found}) f join ${transactions} t on t.id = f.id join ${corporateAccounts} a on a.id = t.corporate_account_id
      where t.kind in (${names}) order by t.id desc`,
    ),
  );
  return rowsOf(orderRow).parse(reply).rows;
}

type Search = Exclude<OrderSearch, { type: 'newest' }>;

/** A statement with the ids of the transactions. @param ofOrders The same for a statement with ids of orders. */
function idsOf(search: Search, ofOrders: (orderIds: SQL) => SQL, limit: number): SQL {
  switch (search.type) {
    case 'order':
      return ofOrders(sql`select ${search.orderId}::text as id`);
    case 'transaction':
      // An order that a third party's transaction carried out has its hash, and no attempt with it.
      return sql`select transaction_id from ${attempts} where hash = ${search.hash}
        union all ${ofOrders(ofEach(({ table }) => sql`select id from ${table} where tx_hash = ${search.hash}`))}`;
    case 'address':
      return idsOfAddress(search.address, ofOrders, limit);
    case 'token':
      return ofOrders(
        ofEach(
          ({ table }) => sql`(
            select id from ${table} where contract_address = ${search.contractAddress} and token_id = ${search.tokenId}
            order by id desc limit ${limit})`,
        ),
      );
  }
  throw new Error('No such search');
}

/** A statement with the rows of the same query of each table of orders about tokens. */
function ofEach(query: (orders: (typeof tokenOrderTables)[number]) => SQL): SQL {
  return sql.join(tokenOrderTables.map(query), sql` union all `);
}

const chainIds = sql.join(
  CHAINS.map(({ id }) => sql`${id}`),
  sql`, `,
);

function idsOfAddress(address: Address, ofOrders: (orderIds: SQL) => SQL, limit: number): SQL {
  return sql`
    select m.id from ${corporateAccounts} a cross join lateral (
      select id from ${transactions} where corporate_account_id = a.id order by id desc limit ${limit}
    ) m where lower(a.wallet_address) = ${address}
    union all ${ofOrders(sql`
      ${ofEach(
        ({ table, holders: [holder] }) => sql`
          select m.id from ${corporateAccounts} a cross join lateral (
            select id from ${table} where corporate_account_id = a.id and lower(${holder}) = ${address}
            order by id desc limit ${limit}) m`,
      )}
      union all (select id from ${mintingOrders} where contract_address = ${address} order by id desc limit ${limit})
      union all select id from ${contracts} where chain_id in (${chainIds}) and contract_address = ${address}`)}`;
}

/** The account of an order's transaction, whatever its status; undefined if there is none. */
export async function findAccount(db: SystemDb, corporateId: string): Promise<Account | undefined> {
  const [row] = await db.sql
    .select(accountColumns)
    .from(corporateAccounts)
    .where(sql`${corporateAccounts.corporateId} = ${corporateId}`);
  return row;
}
