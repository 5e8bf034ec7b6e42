import { and, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm';
import { getAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { accountColumns } from '../accounts/accounts.store.ts';
import type { Account } from '../accounts/account.ts';
import { CHAINS } from '../chains/list.ts';
import {
  HOLD_REASONS,
  END_STATES,
  UNFINISHED_STATES,
  type HoldReason,
  type TransactionState,
} from '../core/order-status.ts';
import type { PageRange } from '../core/paging.ts';
import { idAt, RECORD_ID, timeOf } from '../core/record-id.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import {
  attempts,
  contracts,
  corporateAccounts,
  ownershipTransfers,
  relayerWallets,
  tokenOrderTables,
  transactions,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';

/** How many of an account's newest orders are searched for those of a wallet that never got a nonce. */
const MAX_SEARCHED = 5_000;
/** How many accounts' orders with an address are read, those of the newest accounts. */
const MAX_ACCOUNTS = 100;

/** Which orders to find. Addresses and hashes are in lower case. */
export type OrderSearch =
  | { readonly type: 'order'; readonly orderId: string }
  | { readonly type: 'transaction'; readonly hash: Hex }
  /**
   * A wallet of an account, relayers' and replaced ones included, a contract, a receiver, a former holder or a new
   * owner.
   */
  | { readonly type: 'address'; readonly address: Address }
  | { readonly type: 'token'; readonly contractAddress: Address; readonly tokenId: string };

const orderRow = z.object({
  id: z.string(),
  transactionId: z.string(),
  kind: z.string(),
  corporateId: z.string(),
  corporateName: z.string(),
  chainId: z.string(),
  contractAddress: z.string().nullable(),
  tokenId: z.string().nullable(),
  errorMessage: z.string().nullable(),
  walletAddress: z.string(),
  state: z.enum([...UNFINISHED_STATES, ...END_STATES]),
  nonce: z.coerce.number().nullable(),
  txHash: z.string().nullable(),
  holdReason: z.custom<HoldReason>((value) => typeof value === 'string' && value in HOLD_REASONS).nullable(),
  holdDetail: z.string().nullable(),
  heldSince: z.coerce.date().nullable(),
  cancelRequestedAt: z.coerce.date().nullable(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
});

/** An order of any account, by its transaction. */
export type FoundOrder = z.output<typeof orderRow>;

const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row) });

/**
 * Orders of all accounts, newest first, at most `limit`. Every search reads a bounded number of rows by index, whatever
 * the number of accounts and orders.
 * @param kinds The names of the kinds of orders.
 */
export async function findOrders(
  db: SystemDb,
  kinds: readonly string[],
  search: OrderSearch,
  limit: number,
): Promise<FoundOrder[]> {
  const names = namesOf(kinds);
  const ofOrders = (orderIds: SQL) => transactionsOf(orderIds, kinds);
  const found = sql`select distinct id from (${idsOf(search, ofOrders, limit)}) found (id) order by id desc limit ${limit}`;
  return await describeOrders(db, names, found);
}

/** Restricts a list of orders; what is undefined does not restrict it. */
export interface OrderFilter {
  /** An order's state; `unfinished`: waiting or signed; `held`: waiting, for a reason. */
  readonly state?: TransactionState | 'unfinished' | 'held' | undefined;
  readonly kind?: string | undefined;
  readonly corporateId?: string | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  /** Part of the account's name or corporateId, of why the order failed or is held, or the token id. */
  readonly text?: string | undefined;
}

/**
 * A page of the orders of all accounts, newest first by the ids of their transactions. What has no index is searched
 * for among a bounded number of orders, after which the next page continues.
 * @param kinds The names of the kinds of orders.
 */
export async function listOrders(
  db: SystemDb,
  kinds: readonly string[],
  filter: OrderFilter,
  page: PageRange,
): Promise<SearchedRows<{ readonly id: string; readonly order: FoundOrder }>> {
  const { corporateId, contractAddress } = filter;
  const isUnfinished = inArray(transactions.state, [...UNFINISHED_STATES]);
  const records = and(
    inArray(transactions.kind, [...kinds]),
    gte(transactions.id, page.from),
    lt(transactions.id, page.before),
    corporateId === undefined
      ? undefined
      : sql`${transactions.corporateAccountId} = (select id from ${corporateAccounts} where corporate_id = ${corporateId})`,
    contractAddress === undefined
      ? undefined
      : sql`${transactions.id} = any(array(${transactionsOf(ordersOfContract(contractAddress, page), kinds)}))`,
    isUnfinishedState(filter.state) ? isUnfinished : undefined,
  );
  const matching = matchingOrders(filter);
  const { rows, searchedTo } = await searchPage(db, transactions, { records, filter: matching }, page, (newest) =>
    db.sql.select({ id: transactions.id }).from(newest).where(matching).orderBy(desc(transactions.id)).limit(page.take),
  );
  if (rows.length === 0) return { rows: [], searchedTo };
  const values = rows.map(({ id }) => sql`(${id})`);
  const found = await describeOrders(
    db,
    namesOf(kinds),
    sql`select id from (values ${sql.join(values, sql`, `)}) v (id)`,
  );
  return { rows: found.map((order) => ({ id: order.transactionId, order })), searchedTo };
}

const isUnfinishedState = (state: OrderFilter['state']) =>
  state === 'unfinished' || state === 'held' || UNFINISHED_STATES.some((unfinished) => unfinished === state);

/** The part of a filter that no index has; undefined: nothing. */
function matchingOrders({ state, kind, text }: OrderFilter): SQL | undefined {
  return and(
    state === undefined || state === 'unfinished'
      ? undefined
      : state === 'held'
        ? sql`transactions.hold_reason is not null`
        : eq(transactions.state, state),
    kind === undefined ? undefined : eq(transactions.kind, kind),
    text === undefined ? undefined : hasText(text.toLowerCase()),
  );
}

function hasText(text: string): SQL {
  const isIn = (column: string) => sql`position(${text} in lower(${sql.raw(column)})) > 0`;
  // The limits make each a lookup: the planner would rather scan the tables once.
  const account = sql`select * from ${corporateAccounts} where id = transactions.corporate_account_id limit 1`;
  const subject = sql`${subjectOf(sql`transactions.order_id`)} limit 1`;
  return sql`(${isIn('transactions.hold_detail')}
    or exists (select from (${account}) a where ${isIn('a.corporate_name')} or ${isIn('a.corporate_id')})
    or exists (select from (${subject}) o where o.token_id = ${text} or ${isIn('o.error_message')}))`;
}

/** A statement with the ids of the transactions of orders. The limits keep the planner from joining whole tables. */
function transactionsOf(orderIds: SQL, kinds: readonly string[]): SQL {
  return sql`select o.id from (${orderIds}) found cross join lateral (
    select id from ${transactions} where kind in (${namesOf(kinds)}) and order_id = found.id limit ${kinds.length}) o`;
}

/** The ids of the newest orders about a contract that a page may have, and its deployment. */
function ordersOfContract(contractAddress: Address, { before }: PageRange): SQL {
  // An order's id may be of the same millisecond as its transaction's, and then the greater one.
  const end = RECORD_ID.test(before) ? idAt(timeOf(before) + 1) : before;
  const isOf = sql`contract_address = ${contractAddress}`;
  return sql`
    ${ofEach(({ table }) => newestByAccount(sql`${table}`, sql`${isOf} and id < ${end}`, MAX_SEARCHED))}
    union all (select id from ${ownershipTransfers} where ${isOf} and id < ${end} order by id desc limit ${MAX_SEARCHED})
    union all select id from ${contracts} where ${isOf}`;
}

const namesOf = (kinds: readonly string[]) =>
  sql.join(
    kinds.map((kind) => sql`${kind}`),
    sql`, `,
  );

/** A statement with what an order is about and why it failed. */
function subjectOf(orderId: SQL): SQL {
  const of = (table: SQL, tokenId: SQL) =>
    sql`select contract_address, ${tokenId} as token_id, error_message from ${table} where id = ${orderId}`;
  return sql`
    ${sql.join(
      tokenOrderTables.map(({ table }) => of(sql`${table}`, sql`token_id`)),
      sql` union all `,
    )}
    union all ${of(sql`${contracts}`, sql`null`)} union all ${of(sql`${ownershipTransfers}`, sql`null`)}`;
}

/** The orders of transactions, newest first. @param ids A statement with the ids of the transactions. */
async function describeOrders(db: SystemDb, names: SQL, ids: SQL): Promise<FoundOrder[]> {
  const reply = await db.sql.execute(
    tagged(
      'find-orders',
      sql`
      select t.order_id as id, t.id as "transactionId", t.kind, a.corporate_id as "corporateId", a.corporate_name as "corporateName",
        t.chain_id as "chainId", o.contract_address as "contractAddress", o.token_id as "tokenId",
        o.error_message as "errorMessage", t.wallet_address as "walletAddress", t.state, t.nonce, t.tx_hash as "txHash",
        t.hold_reason as "holdReason", t.hold_detail as "holdDetail", t.held_since as "heldSince",
        t.cancel_requested_at as "cancelRequestedAt", t.created_at as "createdAt", t.updated_at as "updatedAt"
      from (${ids}) f join ${transactions} t on t.id = f.id join ${corporateAccounts} a on a.id = t.corporate_account_id
      left join lateral (${subjectOf(sql`t.order_id`)} limit 1) o on true
      where t.kind in (${names}) order by t.id desc`,
    ),
  );
  return rowsOf(orderRow).parse(reply).rows;
}

/** A statement with the ids of the transactions. @param ofOrders The same for a statement with ids of orders. */
function idsOf(search: OrderSearch, ofOrders: (orderIds: SQL) => SQL, limit: number): SQL {
  switch (search.type) {
    case 'order':
      return ofOrders(sql`select ${search.orderId}::text as id`);
    case 'transaction':
      // An order that a third party's transaction carried out has its hash, and no attempt with it.
      return sql`select id from (${withCarried(sql`select transaction_id as id from ${attempts} where hash = ${search.hash}`)}) own
        union all ${ofOrders(sql`
          ${ofEach(({ table }) => sql`select id from ${table} where tx_hash = ${search.hash}`)}
          union all select id from ${contracts} where deploy_tx_hash = ${search.hash}
          union all select id from ${ownershipTransfers} where tx_hash = ${search.hash}`)}`;
    case 'address':
      return sql`${idsOfWallet(search.address, limit)} union all ${ofOrders(idsOfAddress(search.address, limit))}`;
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

/** A statement with the ids of transactions, and of those that are or were carried by the bundles among them. */
function withCarried(ids: SQL): SQL {
  return sql`
    with holders as materialized (${ids})
    select id from holders union all select t.id from holders h join ${transactions} t on t.bundle_id = h.id
    union all select t.id from holders h join ${transactions} t on t.earlier_bundle_id = h.id`;
}

/** The ids of the transactions that a wallet signs: those with a nonce, and of its account's newest those without. */
function idsOfWallet(address: Address, limit: number): SQL {
  const checksummed = getAddress(address);
  return sql`
    select id from (${withCarried(sql`
      select m.id from unnest(array[${chainIds}]) c (id) cross join lateral (
        select id from ${transactions} where chain_id = c.id and wallet_address = ${address} and nonce is not null and bundle_id is null
        order by nonce desc limit ${limit}) m`)}) own
    union all select m.id from (
      select id from ${corporateAccounts} where wallet_address = ${checksummed}
      union select corporate_account_id from ${relayerWallets} where address = ${checksummed}
    ) a cross join lateral (
      select id, wallet_address from ${transactions} where corporate_account_id = a.id order by id desc limit ${MAX_SEARCHED}
    ) m where m.wallet_address = ${address}`;
}

/** The ids of the orders that name an address. */
function idsOfAddress(address: Address, limit: number): SQL {
  const newest = (table: SQL, column: SQL) =>
    sql`(select id from ${table} where ${column} = ${address} order by id desc limit ${limit})`;
  return sql`
    ${ofEach(({ table, holders }) =>
      sql.join(
        [sql`contract_address`, ...holders.map((holder) => sql`lower(${sql.identifier(holder.name)})`)].map((column) =>
          newestByAccount(sql`${table}`, sql`${column} = ${address}`, limit),
        ),
        sql` union all `,
      ),
    )}
    union all ${newest(sql`${ownershipTransfers}`, sql`contract_address`)}
    union all ${newest(sql`${ownershipTransfers}`, sql`lower(new_owner_address)`)}
    union all select id from ${contracts} where chain_id in (${chainIds}) and contract_address = ${address}`;
}

/**
 * The ids of the newest rows that meet a condition, at most `limit` of each account. The index on the condition goes on
 * with the account and the id: the accounts that have such rows are found one after the other, and no other rows are
 * read.
 */
function newestByAccount(table: SQL, condition: SQL, limit: number): SQL {
  const newestAccount = sql`select max(corporate_account_id) from ${table} where ${condition}`;
  return sql`
    select m.id from (
      with recursive own (account) as (
        (${newestAccount})
        union all select (${newestAccount} and corporate_account_id < own.account) from own where own.account is not null
      ) select account from own where account is not null limit ${MAX_ACCOUNTS}
    ) o cross join lateral (
      select id from ${table} where corporate_account_id = o.account and ${condition} order by id desc limit ${limit}) m`;
}

/** The account of an order's transaction, whatever its status; undefined if there is none. */
export async function findAccount(db: SystemDb, corporateId: string): Promise<Account | undefined> {
  const [row] = await db.sql
    .select(accountColumns)
    .from(corporateAccounts)
    .where(sql`${corporateAccounts.corporateId} = ${corporateId}`);
  return row;
}
