import { sql, type SQL } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { Address } from 'viem';
import { z } from 'zod';
import type { ApprovalAction } from '../core/approval-action.ts';
import { HOLD_REASONS, type HoldReason } from '../core/order-status.ts';
import { newId } from '../core/record-id.ts';
import type { OrderProgress } from '../core/reply-fields.ts';
import type { Column, Condition, Statement, SystemDb, TenantDb } from '../platform/database/client.ts';
import { jsonRow, rowAsJson, rowFromJson } from '../platform/database/json-rows.ts';
import { valuesTable } from '../platform/database/values.ts';
import { corporateAccounts, transactions } from '../platform/database/schema.ts';
import type { AnyOrderKind, OrderReading, OrderTable } from './order-kind.ts';
import { laneOf } from './wallet-lane.ts';

/** The transaction that executes an accepted order. */
export interface NewTransaction {
  readonly orderId: string;
  readonly chainId: string;
  /** In any letter case. */
  readonly walletAddress: Address;
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
}

/** What a second person is asked to approve. */
export interface ApprovalRequest {
  readonly action: Exclude<ApprovalAction, 'switch-off'>;
  /** The id of the account's key that ordered it; null: a global API key. */
  readonly requestedBy: string | null;
  /** The end of the time in which it may be approved. */
  readonly until: Date;
}

/**
 * {@link insertTransactions} as a part of a statement.
 * @param db With a tenant database, only that account's orders count.
 * @param source The table of the orders, or one of the statement with their ids and accounts.
 */
export function insertionOf(
  db: TenantDb | SystemDb,
  { name, orders }: Pick<AnyOrderKind, 'name' | 'orders'>,
  rows: readonly NewTransaction[],
  now: Date,
  source = sql`${orders?.table}`,
): SQL {
  if (orders === null) throw new Error(`Orders of the kind ${name} are not accepted`);
  const values = rows.map(({ orderId, chainId, walletAddress, notBeforeBlock, after, approval, claimUntil }) => ({
    id: newId(now.getTime()),
    order_id: orderId,
    chain_id: chainId,
    wallet_address: laneOf(chainId, walletAddress).walletAddress,
    not_before_block: notBeforeBlock ?? null,
    after_kind: after?.kind ?? null,
    after_order_id: after?.orderId ?? null,
    approval_until: (approval?.until ?? claimUntil)?.toISOString() ?? null,
  }));
  const shape = {
    id: 'text',
    order_id: 'text',
    chain_id: 'text',
    wallet_address: 'text',
    not_before_block: 'bigint',
    after_kind: 'text',
    after_order_id: 'text',
    approval_until: 'timestamptz',
  } as const;
  const at = now.toISOString();
  const isOwned = db.scope === 'tenant' ? sql`o.corporate_account_id = ${db.accountId}` : sql`true`;
  // Read with the insert: whoever was told that approvals are required can rely on it.
  const approvalUntil = rows.some(({ approval }) => approval !== undefined)
    ? sql`(select v.approval_until from ${corporateAccounts} a where a.id = o.corporate_account_id and a.approvals_required)`
    : sql`v.approval_until`;
  // What follows an order, without a request, belongs to the trace of that order.
  const trace =
    db.asked === undefined
      ? sql`(select p.trace from ${transactions} p where p.kind = v.after_kind and p.order_id = v.after_order_id)`
      : sql`${db.asked.trace}::text`;
  return sql`
    insert into ${transactions}
      (id, kind, order_id, corporate_account_id, chain_id, wallet_address, trace, state, approval_until, next_try_at, not_before_block,
        created_at, updated_at)
    select v.id, ${name}, v.order_id, o.corporate_account_id, v.chain_id, v.wallet_address, ${trace}, 'waiting', ${approvalUntil},
      greatest(${at}::timestamptz, ${approvalUntil}),
      greatest(v.not_before_block, (
        select max(p.block_number) from ${transactions} p where p.kind = v.after_kind and p.order_id = v.after_order_id
      )), ${at}::timestamptz, ${at}::timestamptz
    from ${valuesTable('v', shape, values)}
    join ${source} o on o.id = v.order_id and ${isOwned}
    on conflict (kind, order_id) do nothing`;
}

/**
 * The statement that stores the transactions of orders that the service itself makes. It belongs in the SQL batch that
 * stores the orders, after them. An order that is not stored gets no transaction, and one that already has a
 * transaction from an earlier attempt keeps it.
 */
export function insertTransactions(
  db: SystemDb,
  kind: Pick<AnyOrderKind, 'name' | 'orders'>,
  rows: readonly NewTransaction[],
  now: Date,
): Statement {
  return db.sql.execute(insertionOf(db, kind, rows, now));
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

/**
 * How the orders of a table stand, for a statement that reads them. What waits for another order is held by that, and
 * not by what held it before.
 * @param kinds The names of the kinds whose orders the table has.
 * @param dependency Of those kinds.
 */
export function progressOf(
  table: OrderTable['table'],
  kinds: readonly string[],
  dependency: AnyOrderKind['dependency'],
): SQL<OrderProgress | null> {
  const names = sql.join(
    kinds.map((kind) => sql`${kind}`),
    sql`, `,
  );
  const turn =
    dependency === null
      ? sql`null`
      : sql`(
        select jsonb_build_object('reason', 'earlier-request', 'detail', detail, 'since', since)
        from (${dependency.predecessors(sql`progress`, sql`now()`)} limit 1) first
        where progress.state = 'waiting' and progress.cancel_requested_at is null)`;
  // The order's id is spelled out: where a statement reads one table, drizzle leaves the table's name out.
  return sql`(
    select coalesce(${turn}, jsonb_build_object('reason', hold_reason, 'detail', hold_detail, 'since', held_since))
      || jsonb_build_object('cancelRequestedAt', cancel_requested_at, 'awaitsApproval', approval_until is not null and state = 'waiting')
    from ${transactions} progress where progress.kind in (${names}) and progress.order_id = ${table}.id
  )`.mapWith((row: unknown) => (row === null ? null : progressRow.parse(row)));
}
