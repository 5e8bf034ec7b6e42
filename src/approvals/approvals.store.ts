import { and, desc, eq, getTableColumns, gte, inArray, isNull, lt, or, sql, type SQL } from 'drizzle-orm';
import type { PageRange } from '../core/paging.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { approvalNotice } from '../webhooks/notices.ts';
import { endpointsOf, noticeTables } from '../webhooks/events.store.ts';
import { searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { runChange } from '../platform/database/record-change.ts';
import { approvals, contracts, corporateAccounts, endStates, orders } from '../platform/database/schema.ts';

/**
 * How an approval stands:
 * - `WAITING_FOR_APPROVAL`: it can be decided
 * - `APPROVED`, `REFUSED`: a second person has decided
 * - `CANCELLED`: its order was cancelled before
 * - `EXPIRED`: nobody decided in time
 */
export const APPROVAL_STATUSES = ['WAITING_FOR_APPROVAL', 'APPROVED', 'REFUSED', 'CANCELLED', 'EXPIRED'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

const { corporateAccountId: _, ...columns } = getTableColumns(approvals);

/** An approval, with what its order would do. */
export type Approval = Omit<typeof approvals.$inferSelect, 'corporateAccountId'> & {
  readonly status: ApprovalStatus;
  readonly contractAddress: string | null;
  readonly newOwnerAddress: string | null;
  readonly alias: string | null;
  readonly trustedForwarder: string | null;
};

export interface Decision {
  readonly decision: 'approved' | 'refused';
  /** The id of the account's key; null: the operator with the admin key. */
  readonly decidedBy: string | null;
  readonly decidedAt: Date;
}

const instantOf = (at: Date) => sql`${at.toISOString()}::timestamptz`;

/** How it stands at `now`, in a statement that joins its transaction. */
function statusAt(now: Date): SQL<ApprovalStatus> {
  return sql<ApprovalStatus>`case
    when ${approvals.decision} = 'approved' then 'APPROVED'
    when ${approvals.decision} = 'refused' then 'REFUSED'
    when ${orders.cancelRequestedAt} is not null then 'CANCELLED'
    when ${orders.state} in ${endStates} or ${approvals.expiresAt} <= ${instantOf(now)} then 'EXPIRED'
    else 'WAITING_FOR_APPROVAL' end`;
}

/**
 * Reads approvals of the account.
 * @param condition With an index.
 * @param filter Without one.
 */
function selectApprovals(
  db: TenantDb,
  now: Date,
  { condition, filter }: { readonly condition: SQL | undefined; readonly filter: SQL | undefined },
  page: PageRange,
): Promise<SearchedRows<Approval>> {
  // A deployment has neither.
  const { contractAddress, receiverAddress: newOwnerAddress } = orders;
  const { alias, trustedForwarder } = contracts;
  const records = and(eq(approvals.corporateAccountId, db.accountId), condition);
  // One probe of an index for each approval; a join of all that are searched would scan the table.
  const transaction = db.sql
    .select()
    .from(orders)
    .where(and(eq(orders.kind, approvals.kind), eq(orders.orderId, approvals.id)))
    .limit(1)
    .as('orders');
  return searchPage(db, approvals, { records, filter }, page, (newest) =>
    db.sql
      .select({ ...columns, status: statusAt(now), contractAddress, newOwnerAddress, alias, trustedForwarder })
      .from(newest)
      .leftJoinLateral(transaction, sql`true`)
      .leftJoin(
        contracts,
        and(inArray(approvals.action, ['deploy-forwarder', 'deploy-contract']), eq(contracts.id, approvals.id)),
      )
      .where(filter)
      .orderBy(desc(approvals.id))
      .limit(page.take),
  );
}

export async function findApproval(db: TenantDb, id: string, now: Date): Promise<Approval | undefined> {
  const one = { condition: eq(approvals.id, id), filter: undefined };
  const { rows } = await selectApprovals(db, now, one, { from: id, before: 'g', take: 1 });
  return rows[0];
}

/** A page of the account's approvals, newest first; without orders on chains that the caller may not see. */
export function listApprovals(
  db: TenantDb,
  status: ApprovalStatus | undefined,
  now: Date,
  page: PageRange,
): Promise<SearchedRows<Approval>> {
  const isVisible =
    db.chainIds === undefined ? undefined : or(isNull(approvals.chainId), inArray(approvals.chainId, [...db.chainIds]));
  // A decision is a condition on the approval alone, which is then checked before its transaction is looked up.
  const decision = status === 'APPROVED' ? 'approved' : status === 'REFUSED' ? 'refused' : undefined;
  const isShown =
    decision !== undefined
      ? eq(approvals.decision, decision)
      : status === undefined
        ? undefined
        : sql`${statusAt(now)} = ${status}`;
  const inRange = and(
    gte(approvals.id, page.from),
    lt(approvals.id, page.before),
    status === undefined || decision !== undefined ? undefined : isNull(approvals.decision),
  );
  return selectApprovals(db, now, { condition: inRange, filter: and(isVisible, isShown) }, page);
}

/**
 * Whether two of the account's keys are the same, or were created by one key, directly or not: whoever holds that one
 * could hold both.
 */
export async function areRelated(db: TenantDb, one: string, other: string): Promise<boolean> {
  const { rows } = await db.sql.execute<{ roots: string }>(sql`
    with recursive line as (
      select id, parent_id from account_keys where id in (${one}, ${other}) and corporate_account_id = ${db.accountId}
      union
      select k.id, k.parent_id from account_keys k join line on line.parent_id = k.id
    )
    select count(*) as roots from line where parent_id is null`);
  return Number(rows[0]?.roots) !== 2;
}

/**
 * Stores a decision on an order, unless another one was faster, the order was cancelled, or the time is over. In the
 * same statement, an approval makes the order due, and a refusal asks for its cancellation. Each changes the row of the
 * transaction under the condition that none of the others has, so exactly one of them has an effect; a driver that ends
 * the order finds another version.
 * @returns whether the decision is stored.
 */
export async function decideOrder(db: TenantDb, id: string, decision: Decision): Promise<boolean> {
  const at = instantOf(decision.decidedAt);
  const effect = decision.decision === 'approved' ? sql`approval_until = null` : sql`cancel_requested_at = ${at}`;
  const decide = db.sql.execute<{ id: string }>(sql`
    with undecided as (
      update ${orders} t set ${effect}, version = t.version + 1, next_try_at = ${at}, updated_at = ${at}
      from ${approvals} a
      where a.id = ${id} and a.corporate_account_id = ${db.accountId} and t.kind = a.kind and t.order_id = a.id
        and t.state = 'waiting' and t.approval_until > ${at} and t.cancel_requested_at is null
      returning t.order_id
    )
    ${recordDecision(decision)} from undecided where a.id = undecided.order_id returning a.id`);
  const result = await runChange(db, { decide }, decided(id, decision));
  return result.decide.rows.length > 0;
}

/** Stores a decision on switching the setting off, as {@link decideOrder}; an approval switches it off. */
export async function decideSwitchOff(db: TenantDb, id: string, decision: Decision): Promise<boolean> {
  const at = instantOf(decision.decidedAt);
  const decide = db.sql.execute<{ id: string }>(sql`
    ${recordDecision(decision)}
    where a.id = ${id} and a.corporate_account_id = ${db.accountId} and a.action = 'switch-off'
      and a.decision is null and a.expires_at > ${at}
    returning a.id`);
  const switchOff = db.sql
    .update(corporateAccounts)
    .set({ approvalsRequired: false })
    .where(
      and(
        eq(corporateAccounts.id, db.accountId),
        sql`exists (${decided(id, decision)})`,
        sql`${decision.decision} = 'approved'`,
      ),
    );
  const result = await runChange(db, { decide, switchOff }, decided(id, decision));
  return result.decide.rows.length > 0;
}

function recordDecision({ decision, decidedBy, decidedAt }: Decision): SQL {
  return sql`update ${approvals} a set decision = ${decision}, decided_by = ${decidedBy}, decided_at = ${instantOf(decidedAt)}`;
}

/** The approval with this very decision. */
function decided(id: string, { decision, decidedBy, decidedAt }: Decision): SQL {
  return sql`select id from ${approvals}
    where id = ${id} and decision = ${decision} and decided_at = ${instantOf(decidedAt)} and decided_by is not distinct from ${decidedBy}`;
}

/** Whether the account requires approvals. */
export async function readSetting(db: TenantDb): Promise<boolean> {
  const [row] = await db.sql
    .select({ required: corporateAccounts.approvalsRequired })
    .from(corporateAccounts)
    .where(eq(corporateAccounts.id, db.accountId));
  return row?.required ?? false;
}

/** How long a decision may be on its way to the database. */
const DECISION_MS = 5 * 60_000;

/**
 * Sets whether the account requires approvals. A request to switch it off that is still undecided expires, as if from
 * its start: a decision that was made before and is stored after has no effect.
 */
export async function storeSetting(db: TenantDb, required: boolean, now: Date): Promise<void> {
  await runChange(
    db,
    {
      setting: db.sql
        .update(corporateAccounts)
        .set({ approvalsRequired: required })
        .where(eq(corporateAccounts.id, db.accountId)),
      expired: db.sql
        .update(approvals)
        .set({ expiresAt: approvals.createdAt })
        .where(isSwitchOffAwaited(db, new Date(now.getTime() - DECISION_MS))),
    },
    sql`select id from ${corporateAccounts} where id = ${db.accountId}`,
  );
}

/**
 * Requests that the setting is switched off, unless it is off or this is requested already.
 * @returns the id of the request that awaits its approval, undefined if the setting is off; and the endpoints of its
 *   notice, to be woken.
 */
export async function requestSwitchOff(
  db: TenantDb,
  { id, requestedBy, expiresAt, createdAt }: Pick<Approval, 'id' | 'requestedBy' | 'expiresAt' | 'createdAt'>,
): Promise<{ readonly id: string | undefined; readonly endpointIds: readonly string[] }> {
  const awaited = isSwitchOffAwaited(db, createdAt);
  const request = { approvalId: id, action: 'switch-off', chainId: null, requestedBy, expiresAt } as const;
  const notice = approvalNotice(request, createdAt);
  const {
    notices,
    requests: [row],
  } = await runChange(
    db,
    {
      notices: db.sql.execute(sql`
        with requested as (
          insert into ${approvals} (id, corporate_account_id, action, requested_by, expires_at, created_at)
          select ${id}, a.id, 'switch-off', ${requestedBy}, ${instantOf(expiresAt)}, ${instantOf(createdAt)}
          from ${corporateAccounts} a
          where a.id = ${db.accountId} and a.approvals_required and not exists (select 1 from ${approvals} where ${awaited})
          on conflict (id) do nothing returning 1
        ),
        ${noticeTables(sql`
          select ${notice.id}::text as id, ${db.accountId}::text as account, ${notice.type}::text as type, null::text as chain_id,
            null::text as order_id, ${notice.payload}::text as payload, ${instantOf(createdAt)} as at from requested`)}
        select endpoint_id from added`),
      requests: db.sql.select({ id: approvals.id }).from(approvals).where(awaited).orderBy(desc(approvals.id)).limit(1),
    },
    sql`select id from ${approvals} where id = ${id} and corporate_account_id = ${db.accountId}`,
  );
  return { id: row?.id, endpointIds: endpointsOf(notices) };
}

function isSwitchOffAwaited(db: TenantDb, now: Date): SQL {
  return sql`${approvals.corporateAccountId} = ${db.accountId} and ${approvals.action} = 'switch-off'
    and ${approvals.decision} is null and ${approvals.expiresAt} > ${instantOf(now)}`;
}
