import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Address } from 'viem';
import type { ApprovalAction } from '../platform/database/vocabulary/approval-action.ts';
import { newId } from '../core/record-id.ts';
import type { Column, Condition } from '../platform/database/client.ts';
import { jsonRow, rowAsJson, rowFromJson } from '../platform/database/json-rows.ts';
import { rowValues } from '../platform/database/values.ts';
import { corporateAccounts, orders } from '../platform/database/schema.ts';
import type { AnyOrderKind, OrderReading } from './order-kind.ts';
import { ORDER_COLUMNS, type OrderColumns, type OrderForm } from './order-row.store.ts';
import { laneOf } from './wallet-lane.ts';

/** The constraint that an insert violates if an earlier attempt with the same Idempotency-Key stored the order. */
export const ID_TAKEN = 'orders_pkey';

/** An order to store, with the transaction that executes it. */
export interface NewOrder {
  readonly orderId: string;
  readonly accountId: string;
  readonly chainId: string;
  /** In any letter case. */
  readonly walletAddress: Address;
  readonly columns: OrderColumns;
  /** The highest block that acceptance read; a revert at a lower block is not definitive. */
  readonly notBeforeBlock?: number | undefined;
  /**
   * The order that this one depends on, such as its contract's deployment; the block of its end is a lower bound too.
   */
  readonly after?: { readonly kind: string; readonly orderId: string };
  /** The approval that it needs if its account requires one; absent: such an order needs none. */
  readonly approval?: ApprovalRequest | undefined;
  /** The deadline for naming the receiver; absent if the order names it. */
  readonly claimUntil?: Date | undefined;
  /** Not after its id, by which lists are filtered by time; absent: now. */
  readonly createdAt?: Date;
}

/** What a second person is asked to approve. */
export interface ApprovalRequest {
  readonly action: Exclude<ApprovalAction, 'switch-off'>;
  /** The id of the account's key that ordered it; null: a global API key. */
  readonly requestedBy: string | null;
  /** The end of the time in which it may be approved. */
  readonly until: Date;
}

/** How orders are inserted. */
export interface Insertion {
  /** Marks the rows. */
  readonly batchId: string;
  /** On the rows of `o`, which have the names of the columns; the others are left out. */
  readonly where?: SQL;
  /** The clause for a row that conflicts with another; absent: the insert fails. */
  readonly onConflict?: SQL;
  /** The table that the rows are made of, as `o` by `rows(...)`; absent: `rows` of what they are. */
  readonly from?: (rows: (json: SQL) => SQL, json: SQL) => SQL;
}

/**
 * The insert of orders, as a part of a statement.
 * @param asked Of the request that orders them; undefined: the service does, and they belong to the trace of the order
 *   that they follow.
 */
export function insertionOf(
  asked: { readonly trace: string } | undefined,
  { name, resource }: Pick<AnyOrderKind, 'name' | 'resource'>,
  news: readonly NewOrder[],
  now: Date,
  { batchId, where = sql`true`, onConflict = sql``, from = (rows, json) => rows(json) }: Insertion,
): SQL {
  const rows = news.map((order) => ({
    ...rowValues(orders, {
      ...order.columns,
      // A deployment's id is its contract's, and the ownership transfer's that follows it.
      id: resource?.id === 'contracts' ? newId(now.getTime()) : order.orderId,
      kind: name,
      orderId: order.orderId,
      resource: resource?.id ?? null,
      corporateAccountId: order.accountId,
      chainId: order.chainId,
      walletAddress: laneOf(order.chainId, order.walletAddress).walletAddress,
      state: 'waiting',
      batchId,
      nextTryAt: now,
      notBeforeBlock: order.notBeforeBlock ?? null,
      approvalUntil: order.approval?.until ?? order.claimUntil ?? null,
      createdAt: order.createdAt ?? now,
      updatedAt: order.createdAt ?? now,
    }),
    after_kind: order.after?.kind,
    after_order_id: order.after?.orderId,
  }));
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const stored = Object.values(getTableColumns(orders)).filter((column) => names.has(column.name));
  const definitions = [
    ...stored.map((column) => `"${column.name}" ${column.getSQLType()}`),
    'after_kind text',
    'after_order_id text',
  ];
  const definition = sql.raw(definitions.join(', '));
  const isFollowing = news.some(({ after }) => after !== undefined);
  const followed = (value: SQL) =>
    isFollowing
      ? sql`(select ${value} from ${orders} p where p.kind = o.after_kind and p.order_id = o.after_order_id)`
      : sql`null`;
  // Read with the insert: whoever was told that approvals are required can rely on it.
  const approvalUntil = news.some(({ approval }) => approval !== undefined)
    ? sql`(select o.approval_until from ${corporateAccounts} a where a.id = o.corporate_account_id and a.approvals_required)`
    : sql`o.approval_until`;
  const computed: Readonly<Record<string, SQL>> = {
    trace: asked === undefined ? followed(sql`p.trace`) : sql`${asked.trace}::text`,
    approval_until: names.has('approval_until') ? approvalUntil : sql`null`,
    next_try_at: names.has('approval_until') ? sql`greatest(o.next_try_at, ${approvalUntil})` : sql`o.next_try_at`,
    not_before_block: sql`greatest(${names.has('not_before_block') ? sql`o.not_before_block` : sql`null`}, ${followed(sql`p.block_number`)})::bigint`,
  };
  const plain = stored.filter((column) => computed[column.name] === undefined);
  const table = (json: SQL) => sql`jsonb_to_recordset(${json}) as o(${definition})`;
  return sql`
    insert into ${orders} (${sql.raw([...plain.map(({ name: column }) => `"${column}"`), ...Object.keys(computed)].join(', '))})
    select ${sql.join([...plain.map(({ name: column }) => sql.raw(`o."${column}"`)), ...Object.values(computed)], sql`, `)}
    from ${from(table, sql`${JSON.stringify(rows)}::jsonb`)} where ${where} ${onConflict}`;
}

/** A condition on `orders`: those of the orders that a batch claimed, ended or reopened. */
export function ofBatch(batchId: string, kind: string, orderId: unknown): Condition {
  return sql`exists (
    select 1 from ${orders}
    where ${orders.batchId} = ${batchId} and ${orders.kind} = ${kind} and ${orders.orderId} = ${orderId})`;
}

/**
 * How the engine reads orders that need more than their rows.
 * @param form What the row says.
 * @param fields What is read besides, by the names of the order's properties.
 * @param rows What follows the fields in a query: the tables that have them, joined with the row of `orders`.
 */
export function joinedReading<Own, Joined extends Readonly<Record<string, Column | SQL>>>(
  form: OrderForm<Own>,
  fields: Joined,
  rows: SQL,
): OrderReading<Own & SelectResultFields<Joined>> {
  return {
    joined: sql`(select ${rowAsJson(fields)} from ${rows})`,
    parse: (row, joined) => ({ ...form.fromRow(row), ...rowFromJson(fields, jsonRow.parse(joined)) }),
  };
}

/** The dependencies of kinds, each with the names of those that have it. */
export function dependenciesOf(kinds: readonly Pick<AnyOrderKind, 'name' | 'dependency'>[]) {
  const byDependency = [...Map.groupBy(kinds, ({ dependency }) => dependency)];
  return byDependency.flatMap(([dependency, own]) =>
    dependency === null ? [] : [{ dependency, names: own.map(({ name }) => name) }],
  );
}

/** An expression: what a row of `orders` waits for, of the kinds whose orders depend on others; null: nothing. */
function turnOf(kinds: readonly Pick<AnyOrderKind, 'name' | 'dependency'>[]): SQL {
  // The table's name is spelled out: where a statement reads one table, drizzle leaves it out.
  const branches = dependenciesOf(kinds).map(
    ({ dependency, names }) => sql`when orders.kind in ${names} then (
      select jsonb_build_object('detail', detail, 'since', since)
      from (${dependency.predecessors(sql`orders`, sql`now()`)} limit 1) first)`,
  );
  if (branches.length === 0) return sql`null`;
  return sql`case
    when orders.state <> 'waiting' or orders.cancel_requested_at is not null then null
    ${sql.join(branches, sql` `)} end`;
}

/** What is read of orders to reply with them. @param kinds Those that they may be of. */
export function replyColumns(kinds: readonly Pick<AnyOrderKind, 'name' | 'dependency'>[]) {
  return { ...ORDER_COLUMNS, turn: turnOf(kinds) };
}
