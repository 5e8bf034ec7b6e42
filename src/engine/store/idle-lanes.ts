import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { z } from 'zod';
import { lowerCase } from '../../core/lower-case.ts';
import type { SystemDb } from '../../platform/database/client.ts';
import { lanes, orders, unfinishedStates, type LaneCondition } from '../../platform/database/schema.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { WORK_QUEUES, type WorkQueue } from '../../platform/queues.ts';
import type { OrderKinds } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** The most lanes woken by one run of the cleanup job, those driven or woken longest ago first. */
const MAX_LANES = 5_000;

export interface IdleLane extends WalletLane {
  /** The queue that carries its wake-up. */
  readonly queue: WorkQueue;
  /** Whether its work has waited longer than its kind allows. */
  readonly isOverdue: boolean;
}

const idleRows = z.object({
  rows: z.array(
    z.object({
      chainId: z.string(),
      walletAddress: z.templateLiteral(['0x', z.string()]).transform(lowerCase),
      queue: z.enum(WORK_QUEUES),
      isOverdue: z.boolean(),
    }),
  ),
});

/**
 * Lanes whose work has been idle for as long as its kind allows, or that have confirmed transactions which are not
 * final. Each is marked as woken, so that the next call starts with others.
 * @param at The time against which idleness is measured.
 */
export async function idleLanes(db: SystemDb, kinds: OrderKinds, at: Date, now: Date): Promise<IdleLane[]> {
  const limits = [...kinds.values()].map(({ name, queue, idleMinutes }) => ({ kind: name, queue, ...idleMinutes }));
  const shape = { kind: 'text', queue: 'text', waiting: 'integer', signed: 'integer' } as const;
  const time = at.toISOString();
  const reply = await db.sql.execute(sql`
    with idle as (
      select t.chain_id, t.wallet_address, min(k.queue) as queue, bool_or(t.state <> 'confirmed') as is_overdue,
        min(greatest(l.driven_at, l.woken_at)) as seen_at
      from ${orders} t
      join ${valuesTable('k', shape, limits)} on k.kind = t.kind
      left join ${lanes} l on l.chain_id = t.chain_id and l.wallet_address = t.wallet_address
      where (t.state = 'waiting' and t.next_try_at <= ${time}::timestamptz - interval '1 minute' * k.waiting)
        or (t.state = 'signed'
          and greatest(l.driven_at, t.updated_at) <= ${time}::timestamptz - interval '1 minute' * k.signed)
        or (t.state = 'confirmed' and not t.is_final)
      group by t.chain_id, t.wallet_address
      order by seen_at nulls first
      limit ${MAX_LANES}
    ), marked as (
      insert into ${lanes} (chain_id, wallet_address, woken_at)
      select chain_id, wallet_address, ${now.toISOString()}::timestamptz from idle order by chain_id, wallet_address
      on conflict (chain_id, wallet_address) do update set woken_at = excluded.woken_at
    )
    select chain_id as "chainId", wallet_address as "walletAddress", queue, is_overdue as "isOverdue" from idle`);
  return idleRows.parse(reply).rows;
}

/** A lane with work, and what blocks it. */
export interface ActiveLane {
  readonly chainId: string;
  readonly address: Address;
  readonly state: LaneCondition;
  /** The affected order; null if all are affected. */
  readonly orderId: string | null;
  readonly reason: string | null;
  readonly since: Date | null;
}

/** Lanes with work for GET /status: blocked ones first, those blocked longest at the top. */
export async function activeLanes(db: SystemDb, limit: number): Promise<ActiveLane[]> {
  const rows = await db.sql
    .select()
    .from(lanes)
    .where(
      sql`${lanes.state} <> 'ok' or exists (
        select 1 from ${orders} t where t.chain_id = ${lanes.chainId} and t.wallet_address = ${lanes.walletAddress}
          and t.state in ${unfinishedStates})`,
    )
    .orderBy(sql`${lanes.since} nulls last`)
    .limit(limit);
  return rows.map(({ chainId, walletAddress, state, orderId, reason, since }) => ({
    chainId,
    address: walletAddress,
    state,
    orderId,
    reason,
    since,
  }));
}
