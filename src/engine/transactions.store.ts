import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Address } from 'viem';
import { z } from 'zod';
import type { ApprovalAction } from '../core/approval-action.ts';
import { HOLD_REASONS, type HoldReason } from '../core/order-status.ts';
import { newId } from '../core/record-id.ts';
import type { OrderProgress } from '../core/reply-fields.ts';
import type { Column, Condition } from '../platform/database/client.ts';
import { jsonRow, rowAsJson, rowFromJson } from '../platform/database/json-rows.ts';
import { rowValues } from '../platform/database/values.ts';
import { corporateAccounts, transactions } from '../platform/database/schema.ts';
import type { AnyOrderKind, OrderColumns, OrderReading, OrderTable } from './order-kind.ts';
import { laneOf } from './wallet-lane.ts';

/** The constraint that an insert violates if an earlier attempt with the same Idempotency-Key stored the order. */
export const ID_TAKEN = 'transactions_pkey';

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
  /** Until when its receiver can be named; absent if the order names it. */
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
  /** What becomes of a row that another one is in the way of; absent: the insert fails. */
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
  { name, orders: shown }: Pick<AnyOrderKind, 'name' | 'orders'>,
  orders: readonly NewOrder[],
  now: Date,
  { batchId, where = sql`true`, onConflict = sql``, from = (rows, json) => rows(json) }: Insertion,
): SQL {
  const rows = orders.map((order) => ({
    ...rowValues(transactions, {
      ...order.columns,
      // A deployment's id is its contract's, and the ownership transfer's that follows it.
      id: shown?.resource === 'contracts' ? newId(now.getTime()) : order.orderId,
      kind: name,
      orderId: order.orderId,
      resource: shown?.resource ?? null,
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
  const stored = Object.values(getTableColumns(transactions)).filter((column) => names.has(column.name));
  const definitions = [
    ...stored.map((column) => `"${column.name}" ${column.getSQLType()}`),
    'after_kind text',
    'after_order_id text',
  ];
  const definition = sql.raw(definitions.join(', '));
  const isFollowing = orders.some(({ after }) => after !== undefined);
  const followed = (value: SQL) =>
    isFollowing
      ? sql`(select ${value} from ${transactions} p where p.kind = o.after_kind and p.order_id = o.after_order_id)`
      : sql`null`;
  // Read with the insert: whoever was told that approvals are required can rely on it.
  const approvalUntil = orders.some(({ approval }) => approval !== undefined)
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
    insert into ${transactions} (${sql.raw([...plain.map(({ name: column }) => `"${column}"`), ...Object.keys(computed)].join(', '))})
    select ${sql.join([...plain.map(({ name: column }) => sql.raw(`o."${column}"`)), ...Object.values(computed)], sql`, `)}
    from ${from(table, sql`${JSON.stringify(rows)}::jsonb`)} where ${where} ${onConflict}`;
}

/** A condition on `transactions`: those of the orders that a batch claimed, ended or reopened. */
export function ofBatch(batchId: string, kind: string, orderId: unknown): Condition {
  return sql`exists (
    select 1 from ${transactions}
    where ${transactions.batchId} = ${batchId} and ${transactions.kind} = ${kind} and ${transactions.orderId} = ${orderId})`;
}

/**
 * How the engine reads orders.
 * @param id The order's id.
 * @param fields What is read of it, by the names of the order's properties.
 * @param tables Those that have the fields, joined.
 */
export function orderReading<Selected extends Readonly<Record<string, Column | SQL>>>(
  id: Column,
  fields: Selected,
  tables: SQL,
): OrderReading<SelectResultFields<Selected>> {
  return {
    json: sql`(select ${rowAsJson(fields)} from ${tables} where ${id} = ${transactions.orderId})`,
    parse: (json) => rowFromJson(fields, jsonRow.parse(json)),
  };
}

const progressRow = z
  .object({
    reason: z.custom<HoldReason>((value) => typeof value === 'string' && value in HOLD_REASONS).nullable(),
    detail: z.string().nullable(),
    since: z.coerce.date().nullable(),
    cancelRequestedAt: z.coerce.date().nullable(),
    awaitsApproval: z.boolean(),
  })
  .transform(({ reason, detail, since, cancelRequestedAt, awaitsApproval }): OrderProgress => ({
    hold: reason === null || since === null ? null : { reason, detail: detail ?? '', since },
    cancelRequestedAt,
    awaitsApproval,
  }));

/** A condition on the orders of a table: a second person must still approve them. */
export function isAwaitingApproval(table: OrderTable['table'], kind: string): Condition {
  return sql`exists (
    select 1 from ${transactions} t
    where t.kind = ${kind} and t.order_id = ${table.id} and t.state = 'waiting' and t.approval_until is not null)`;
}

/** The dependencies of kinds, each with the names of those that have it. */
export function dependenciesOf(kinds: readonly Pick<AnyOrderKind, 'name' | 'dependency'>[]) {
  const byDependency = [...Map.groupBy(kinds, ({ dependency }) => dependency)];
  return byDependency.flatMap(([dependency, own]) =>
    dependency === null ? [] : [{ dependency, names: own.map(({ name }) => name) }],
  );
}

/**
 * How the orders of a table stand, for a statement that reads them. What waits for another order is held by that, and
 * not by what held it before.
 * @param kinds Those whose orders the table has.
 */
export function progressOf(
  table: OrderTable['table'],
  kinds: readonly Pick<AnyOrderKind, 'name' | 'dependency'>[],
): SQL<OrderProgress | null> {
  const turns = dependenciesOf(kinds).map(
    ({ dependency, names }) => sql`(
      select jsonb_build_object('reason', 'earlier-request', 'detail', detail, 'since', since)
      from (${dependency.predecessors(sql`progress`, sql`now()`)} limit 1) first
      where progress.kind in ${names} and progress.state = 'waiting' and progress.cancel_requested_at is null), `,
  );
  const names = kinds.map(({ name }) => name);
  // The order's id is spelled out: where a statement reads one table, drizzle leaves the table's name out.
  return sql`(
    select coalesce(${sql.join(turns)}jsonb_build_object('reason', hold_reason, 'detail', hold_detail, 'since', held_since))
      || jsonb_build_object('cancelRequestedAt', cancel_requested_at, 'awaitsApproval', approval_until is not null and state = 'waiting')
    from ${transactions} progress where progress.kind in ${names} and progress.order_id = ${table}.id
  )`.mapWith((row: unknown) => (row === null ? null : progressRow.parse(row)));
}
