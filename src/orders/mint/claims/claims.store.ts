import { and, desc, eq, getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { Address } from 'viem';
import type { LowerCaseAddress } from '../../../core/lower-case.ts';
import type { PageRange } from '../../../core/paging.ts';
import { newId } from '../../../core/record-id.ts';
import { acceptanceOf, insertAccepted, type AcceptedKind, type AcceptingDb } from '../../../limits/limits.store.ts';
import type { Insertion } from '../../../engine/transactions.store.ts';
import type { Statement, TenantDb } from '../../../platform/database/client.ts';
import { ofAccount, ofVisibleChain, searchPage, type SearchedRows } from '../../../platform/database/page-scope.ts';
import { runChange } from '../../../platform/database/record-change.ts';
import {
  claims,
  contracts,
  endStates,
  ofResource,
  orders,
  underWay,
  undone,
} from '../../../platform/database/schema.ts';
import { tagged } from '../../../platform/database/tagged.ts';
import { valuesTable } from '../../../platform/database/values.ts';
import { isOccupied, lockMetadata, acceptedMint, type NewMintingOrder } from '../minting-orders.store.ts';
import { MINT } from '../../order-forms.ts';

/**
 * How a claim stands:
 * - `OPEN`: whoever has its link can name the receiver
 * - `CLAIMED`: the receiver is named; the status of its minting order says the rest
 * - `CANCELLED`: it was cancelled before
 * - `EXPIRED`: nobody named the receiver in time
 * - `BLOCKED`: too many wrong PINs were sent; it can be cancelled
 */
export const CLAIM_STATUSES = ['OPEN', 'CLAIMED', 'CANCELLED', 'EXPIRED', 'BLOCKED'] as const;

export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** How many wrong PINs block a claim. */
export const MAX_PIN_FAILURES = 10;

/** A claim's status at `now`, in a statement that joins its order. */
export function claimStatusAt(now: Date): SQL<ClaimStatus> {
  return sql<ClaimStatus>`case
    when ${claims.claimedAt} is not null then 'CLAIMED'
    when ${orders.cancelRequestedAt} is not null then 'CANCELLED'
    when ${claims.expiresAt} <= ${instantOf(now)} or ${orders.state} in ${endStates} then 'EXPIRED'
    when ${claims.pinFailures} >= ${MAX_PIN_FAILURES} then 'BLOCKED'
    else 'OPEN' end`;
}

export const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/** The minting order of a claim: one probe of an index for each claim. */
export function orderOfClaim(db: Pick<TenantDb, 'sql'>) {
  return db.sql
    .select()
    .from(orders)
    .where(and(eq(orders.kind, MINT), eq(orders.orderId, claims.id)))
    .limit(1)
    .as('orders');
}

const { corporateAccountId: _, secretHash: __, pinHash, ...columns } = getTableColumns(claims);

/** The columns of a claim's minting order that tell what it is, and what has become of it. */
export const orderColumns = {
  tokenId: sql<string>`${orders.tokenId}`,
  amount: sql<number>`${orders.amount}`.mapWith(orders.amount),
  metadataId: sql<string>`${orders.metadataId}`,
  receiverAddress: sql<Address>`${orders.receiverAddress}`,
  orderStatus: orders.status,
  txHash: orders.txHash,
};

/** A claim with its minting order. */
export type Claim = Awaited<ReturnType<typeof claimsWith>>[number];

/** The statement that reads claims. @param source With the table's name. */
function claimsIn(db: TenantDb, source: typeof claims | Newest, now: Date) {
  return db.sql
    .select({ ...columns, hasPin: sql<boolean>`${pinHash} is not null`, status: claimStatusAt(now), ...orderColumns })
    .from(source)
    .innerJoinLateral(orderOfClaim(db), sql`true`);
}

type Newest = Parameters<Parameters<typeof searchPage>[4]>[0];

/** The account's claims with these ids: the statement that reads them. */
export function claimsWith(db: TenantDb, ids: readonly string[], now: Date) {
  return claimsIn(db, claims, now).where(
    and(inArray(claims.id, [...ids]), eq(claims.corporateAccountId, db.accountId)),
  );
}

/** A page of the account's claims, newest first; without those on chains that the caller may not see. */
export function listClaims(
  db: TenantDb,
  {
    status,
    contractAddress,
  }: { readonly status?: ClaimStatus | undefined; readonly contractAddress?: LowerCaseAddress | undefined },
  now: Date,
  page: PageRange,
): Promise<SearchedRows<Claim>> {
  const records = and(
    ofAccount(claims, db, page),
    contractAddress === undefined ? undefined : eq(claims.contractAddress, contractAddress),
  );
  const filter = and(
    ofVisibleChain(claims, db),
    status === undefined ? undefined : sql`${claimStatusAt(now)} = ${status}`,
  );
  return searchPage(db, claims, { records, filter }, page, (newest) =>
    tagged('list-claims', claimsIn(db, newest, now).where(filter).orderBy(desc(claims.id)).limit(page.take)),
  );
}

/** Token ids, decimal, both included. */
export interface TokenRange {
  readonly from: string;
  readonly to: string;
}

/** A claim to store. */
export interface NewClaim extends Pick<typeof claims.$inferInsert, 'secretHash' | 'pinHash' | 'expiresAt'> {
  readonly id: string;
  /** The order's receiver is the zero address. With a range, its token id is replaced. */
  readonly order: NewMintingOrder;
  /** The token is the lowest of these that no order has; undefined: the order's own. */
  readonly tokenIds: TokenRange | undefined;
}

/**
 * Stores claims with their minting orders and transactions. Those of one contract are stored one after the other, so
 * that no two that have not ended name the same ERC-721 token, nor any token that was taken from a range.
 * @param walletAddress The account's wallet.
 * @returns the stored claims, without those whose token or metadata another order uses; and the ids of those whose
 *   token, or all of whose range, have orders.
 * @throws {LimitExceeded} which says of each that the account's limits refuse; none is stored.
 */
export async function insertClaims(
  db: AcceptingDb,
  kind: AcceptedKind,
  walletAddress: Address,
  news: readonly NewClaim[],
  now: Date,
): Promise<{ readonly stored: readonly Claim[]; readonly withoutToken: ReadonlySet<string> }> {
  if (news.length === 0) return { stored: [], withoutToken: new Set() };
  const ids = news.map(({ id }) => id);
  const ranges = [...new Set(news.map(rangeKey))];
  const batchId = newId(now.getTime());
  const accepted = news.map(({ order, expiresAt }) => ({
    ...acceptedMint(order, walletAddress),
    claimUntil: expiresAt,
  }));
  const { limits, accepted: check } = acceptanceOf(db, kind, accepted, now, batchId);
  const statements = {
    lockContracts: lockContracts(db, news),
    lockMetadata: lockMetadata(
      db,
      news.map(({ order }) => order.metadataId),
    ),
    limits,
    picks: news.map((claim, place) => {
      const picked = pickToken(claim, ranges.indexOf(rangeKey(claim)));
      return insertOrder(db, picked, (insertion) =>
        insertAccepted(db, kind, accepted.slice(place, place + 1), now, { ...insertion, batchId }),
      );
    }),
    check,
    insert: insertRows(db, news),
    stored: claimsWith(db, ids, now),
  };
  const changed = sql`select ${claims.id} from ${claims} where ${inArray(claims.id, ids)}`;
  const { picks, stored } = await runChange(db, statements, changed);
  const withoutToken = ids.filter((_id, place) => picks[place]?.rowCount === 0);
  return { stored, withoutToken: new Set(withoutToken) };
}

/** Serializes what stores claims of the same contracts. */
function lockContracts(db: TenantDb, news: readonly NewClaim[]): Statement {
  const ids = new Set(news.map(({ order }) => order.contractId));
  return tagged(
    'lock-contracts-of-claims',
    db.sql
      .select({ id: contracts.id })
      .from(contracts)
      .where(inArray(contracts.id, [...ids]))
      .orderBy(contracts.id)
      .for('no key update'),
  );
}

/** A query of the token of a claim; without a row if it is not free. @param range Its range's number in the batch. */
function pickToken({ order, tokenIds }: NewClaim, range: number): SQL {
  return tokenIds === undefined ? namedToken(order) : lowestToken(order, tokenIds, range);
}

/** A row with the token that is picked for it. */
const withToken = (rows: SQL) =>
  sql`jsonb_build_array(${rows} -> 0 || jsonb_build_object('token_id', picked.token_id))`;

/**
 * The statement that stores the order of a claim if its token is free and its metadata not in use. It returns the token,
 * unless that is not free.
 * @param insert The insert of the order.
 */
function insertOrder(db: TenantDb, picked: SQL, insert: (insertion: Omit<Insertion, 'batchId'>) => SQL) {
  const stored = insert({
    from: (rows, json) => sql`picked, ${rows(withToken(json))}`,
    where: sql`${isOccupied} is not true`,
    onConflict: sql`on conflict do nothing`,
  });
  return db.sql.execute(
    tagged('insert-claimed-mint', sql`with picked as (${picked}), stored as (${stored}) select token_id from picked`),
  );
}

function namedToken({ ercStandard, tokenId, ...order }: NewMintingOrder): SQL {
  const isFree =
    ercStandard === '721' ? sql`${orderOf(order, sql`${tokenId}`, sql`in ${underWay}`)} is null` : sql`true`;
  return sql`select ${tokenId}::text as token_id where ${isFree}`;
}

/** Claims of a batch with the same range search it once: each goes on where the one before it has ended. */
function rangeKey({ order: { contractId }, tokenIds }: NewClaim): string {
  return `${contractId} ${tokenIds?.from} ${tokenIds?.to}`;
}

function lowestToken(order: NewMintingOrder, { from, to }: TokenRange, range: number): SQL {
  // A setting lasts as long as the transaction.
  const reached = sql`${`claims.reached_${range}`}::text`;
  return sql`
    with recursive searched (token, taken_by) as (
      select coalesce(nullif(current_setting(${reached}, true), '')::numeric, ${from}::numeric) - 1, ''
      union all
      select n, ${orderOf(order, sql`n::text`, sql`not in ${undone}`)}
      from searched, lateral (select token + 1 as n) next where taken_by is not null and n <= ${to}::numeric
    ),
    reached as (
      select set_config(${reached}, coalesce(min(token) filter (where taken_by is null), ${to}::numeric + 1)::text, true) as token
      from searched
    )
    select token as token_id from reached where token::numeric <= ${to}::numeric`;
}

/**
 * An order of a token in one of these states, or null. A join with all of them might read all orders of the contract;
 * without an order, so might this, if the statistics do not know yet that the contract has many.
 */
function orderOf(
  { contractAddress, contractId }: Pick<NewMintingOrder, 'contractAddress' | 'contractId'>,
  tokenId: SQL,
  states: SQL,
): SQL {
  return sql`(
    select mint.id from ${orders} mint
    where mint.${ofResource('minting-orders')} and mint.contract_address = ${contractAddress} and mint.token_id = ${tokenId} and mint.contract_id = ${contractId}
      and mint.status ${states} order by mint.id limit 1)`;
}

/** Stores the claims whose orders are stored. */
function insertRows(db: TenantDb, news: readonly NewClaim[]): Statement {
  const shape = { id: 'text', secret_hash: 'text', pin_hash: 'text', expires_at: 'timestamptz' } as const;
  const rows = news.map((claim) => ({
    id: claim.id,
    secret_hash: claim.secretHash,
    pin_hash: claim.pinHash ?? null,
    expires_at: claim.expiresAt.toISOString(),
  }));
  return db.sql.execute(
    tagged(
      'insert-claims',
      sql`
    insert into ${claims} (id, corporate_account_id, chain_id, contract_address, secret_hash, pin_hash, expires_at, created_at)
    select o.id, o.corporate_account_id, o.chain_id, o.contract_address, v.secret_hash, v.pin_hash, v.expires_at, o.created_at
    from ${valuesTable('v', shape, rows)}
    join ${orders} o on o.id = v.id and o.kind = ${MINT} and o.corporate_account_id = ${db.accountId}
    on conflict (id) do nothing`,
    ),
  );
}

/**
 * Asks for the cancellation of a claim's order, unless its receiver is named, it is cancelled or the time is over. It
 * changes the row of the transaction under the condition that naming the receiver has, so that only one of them has an
 * effect.
 * @returns whether it is asked for.
 */
export async function withdrawClaim(db: TenantDb, id: string, now: Date): Promise<boolean> {
  const at = instantOf(now);
  const withdraw = db.sql.execute(
    tagged(
      'withdraw-claim',
      sql`
    update ${orders} t set cancel_requested_at = ${at}, version = t.version + 1, next_try_at = ${at}, updated_at = ${at}
    from ${claims} c
    where c.id = ${id} and c.corporate_account_id = ${db.accountId} and ${isClaimable(now)}
    returning t.order_id`,
    ),
  );
  const changed = sql`select ${orders.orderId} as id from ${orders}
    where ${orders.orderId} = ${id} and ${orders.kind} = ${MINT} and ${orders.cancelRequestedAt} = ${at}`;
  const { withdrawn } = await runChange(db, { withdrawn: withdraw }, changed);
  return withdrawn.rowCount === 1;
}

/** The condition that the transaction `t` is that of the claim `c`, and still waits for its receiver. */
export function isClaimable(now: Date): SQL {
  return sql`t.order_id = c.id and t.kind = ${MINT} and t.state = 'waiting'
    and t.approval_until > ${instantOf(now)} and t.cancel_requested_at is null`;
}
