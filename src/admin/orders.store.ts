import { and, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm';
import { getAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { DEPLOYMENT } from '../catalog/contracts/deployment.ts';
import { accountColumns } from '../accounts/accounts.store.ts';
import type { Account } from '../accounts/account.ts';
import { CHAINS } from '../chains/list.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import {
  HOLD_REASONS,
  END_STATES,
  UNFINISHED_STATES,
  type HoldReason,
  type TransactionState,
} from '../platform/database/vocabulary/order-status.ts';
import type { PageRange } from '../core/paging.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import {
  attempts,
  contracts,
  corporateAccounts,
  ORDER_RESOURCES,
  relayerWallets,
  orders,
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
  const found = sql`select distinct id from (${idsOf(search, limit)}) found (id) order by id desc limit ${limit}`;
  return await describeOrders(db, kinds, found);
}

/** Restricts a list of orders; what is undefined does not restrict it. */
export interface OrderFilter {
  /** An order's state; `unfinished`: waiting or signed; `held`: waiting, for a reason. */
  readonly state?: TransactionState | 'unfinished' | 'held' | undefined;
  readonly kind?: string | undefined;
  readonly corporateId?: string | undefined;
  readonly contractAddress?: LowerCaseAddress | undefined;
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
  const isUnfinished = inArray(orders.state, [...UNFINISHED_STATES]);
  const records = and(
    inArray(orders.kind, [...kinds]),
    gte(orders.id, page.from),
    lt(orders.id, page.before),
    corporateId === undefined
      ? undefined
      : sql`${orders.corporateAccountId} = (select id from ${corporateAccounts} where corporate_id = ${corporateId})`,
    contractAddress === undefined
      ? undefined
      : sql`${orders.id} = any(array(${idsOfContract(contractAddress, MAX_SEARCHED, sql`id < ${page.before}`)}))`,
    isUnfinishedState(filter.state) ? isUnfinished : undefined,
  );
  const matching = matchingOrders(filter);
  const { rows, searchedTo } = await searchPage(db, orders, { records, filter: matching }, page, (newest) =>
    db.sql.select({ id: orders.id }).from(newest).where(matching).orderBy(desc(orders.id)).limit(page.take),
  );
  if (rows.length === 0) return { rows: [], searchedTo };
  const values = rows.map(({ id }) => sql`(${id})`);
  const found = await describeOrders(db, kinds, sql`select id from (values ${sql.join(values, sql`, `)}) v (id)`);
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
        ? sql`orders.hold_reason is not null`
        : eq(orders.state, state),
    kind === undefined ? undefined : eq(orders.kind, kind),
    text === undefined ? undefined : hasText(text.toLowerCase()),
  );
}

function hasText(text: string): SQL {
  const isIn = (column: string) => sql`position(${text} in lower(${sql.raw(column)})) > 0`;
  // The limit makes it a lookup: the planner would rather scan the table once.
  const account = sql`select * from ${corporateAccounts} where id = orders.corporate_account_id limit 1`;
  return sql`(${isIn('orders.hold_detail')} or ${isIn('orders.error_message')} or orders.token_id = ${text}
    or exists (select from (${account}) a where ${isIn('a.corporate_name')} or ${isIn('a.corporate_id')}))`;
}

/** The orders of transactions, newest first. @param ids A statement with the ids of the transactions. */
async function describeOrders(db: SystemDb, kinds: readonly string[], ids: SQL): Promise<FoundOrder[]> {
  const reply = await db.sql.execute(
    tagged(
      'find-orders',
      sql`
      select t.order_id as id, t.id as "transactionId", t.kind, a.corporate_id as "corporateId", a.corporate_name as "corporateName",
        t.chain_id as "chainId", coalesce(t.contract_address, c.contract_address) as "contractAddress", t.token_id as "tokenId",
        t.error_message as "errorMessage", t.wallet_address as "walletAddress", t.state, t.nonce, t.tx_hash as "txHash",
        t.hold_reason as "holdReason", t.hold_detail as "holdDetail", t.held_since as "heldSince",
        t.cancel_requested_at as "cancelRequestedAt", t.created_at as "createdAt", t.updated_at as "updatedAt"
      from (${ids}) f join ${orders} t on t.id = f.id join ${corporateAccounts} a on a.id = t.corporate_account_id
      left join lateral (
        select contract_address from ${contracts} where id = t.order_id and t.kind = ${DEPLOYMENT} limit 1) c on true
      where t.kind in ${kinds} order by t.id desc`,
    ),
  );
  return rowsOf(orderRow).parse(reply).rows;
}

/** A statement with the ids of the transactions. */
function idsOf(search: OrderSearch, limit: number): SQL {
  switch (search.type) {
    case 'order':
      return sql`select id from ${orders} where order_id = ${search.orderId}`;
    case 'transaction':
      // An order that a third party's transaction carried out has its hash, and no attempt with it.
      return sql`select id from (${withCarried(sql`select transaction_id as id from ${attempts} where hash = ${search.hash}`)}) own
        union all select id from ${orders} where tx_hash = ${search.hash}`;
    case 'address':
      return sql`${idsOfWallet(search.address, limit)} union all ${idsOfContract(search.address, limit)}
        union all ${newestByAccount(sql`lower(receiver_address) = ${search.address}`, limit)}
        union all ${newestByAccount(sql`lower(holder_address) = ${search.address}`, limit)}`;
    case 'token': {
      const { contractAddress, tokenId } = search;
      return newestOfEach(sql`contract_address = ${contractAddress} and token_id = ${tokenId}`, limit);
    }
  }
  throw new Error('No such search');
}

/** The ids of the newest transactions of orders about a contract, and that of its deployment. */
function idsOfContract(address: Address, limit: number, where = sql`true`): SQL {
  return sql`${newestByAccount(sql`contract_address = ${address} and ${where}`, limit)}
    union all select t.id from ${contracts} c join ${orders} t on t.order_id = c.id and t.kind = ${DEPLOYMENT}
    where c.chain_id in (${chainIds}) and c.contract_address = ${address}`;
}

/** The ids of the newest rows of each resource that meet a condition: an index on that goes on with the resource. */
function newestOfEach(condition: SQL, limit: number): SQL {
  return sql`
    select n.id from unnest(array[${resources}]) r (name) cross join lateral (
      select id from ${orders} where resource = r.name and ${condition} order by id desc limit ${limit}) n`;
}

const resources = sql.raw(ORDER_RESOURCES.map((name) => `'${name}'`).join(', '));

const chainIds = sql.join(
  CHAINS.map(({ id }) => sql`${id}`),
  sql`, `,
);

/** A statement with the ids of transactions, and of those that are or were carried by the bundles among them. */
function withCarried(ids: SQL): SQL {
  return sql`
    with holders as materialized (${ids})
    select id from holders union all select t.id from holders h join ${orders} t on t.bundle_id = h.id
    union all select t.id from holders h join ${orders} t on t.earlier_bundle_id = h.id`;
}

/** The ids of the transactions that a wallet signs: those with a nonce, and of its account's newest those without. */
function idsOfWallet(address: Address, limit: number): SQL {
  const checksummed = getAddress(address);
  return sql`
    select id from (${withCarried(sql`
      select m.id from unnest(array[${chainIds}]) c (id) cross join lateral (
        select id from ${orders} where chain_id = c.id and wallet_address = ${address} and nonce is not null and bundle_id is null
        order by nonce desc limit ${limit}) m`)}) own
    union all select m.id from (
      select id from ${corporateAccounts} where wallet_address = ${checksummed}
      union select corporate_account_id from ${relayerWallets} where address = ${checksummed}
    ) a cross join lateral (
      select id, wallet_address from ${orders} where corporate_account_id = a.id order by id desc limit ${MAX_SEARCHED}
    ) m where m.wallet_address = ${address}`;
}

/**
 * The ids of the newest rows that meet a condition, at most `limit` of each account and resource. The index on the
 * condition goes on with the account: the accounts that have such rows are found one after the other, and no other rows
 * are read.
 */
function newestByAccount(condition: SQL, limit: number): SQL {
  const newestAccount = sql`select max(corporate_account_id) from ${orders} where ${condition}`;
  return sql`
    select m.id from (
      with recursive own (account) as (
        (${newestAccount})
        union all select (${newestAccount} and corporate_account_id < own.account) from own where own.account is not null
      ) select account from own where account is not null limit ${MAX_ACCOUNTS}
    ) o cross join lateral (${newestOfEach(sql`corporate_account_id = o.account and ${condition}`, limit)}) m`;
}

/** The account of an order's transaction, whatever its status; undefined if there is none. */
export async function findAccount(db: SystemDb, corporateId: string): Promise<Account | undefined> {
  const [row] = await db.sql
    .select(accountColumns)
    .from(corporateAccounts)
    .where(sql`${corporateAccounts.corporateId} = ${corporateId}`);
  return row;
}
