import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { z } from 'zod';
import type { SystemDb } from '../../platform/database/client.ts';
import { recordset } from '../../platform/database/values-table.ts';
import { lanes, transactions } from '../../platform/database/schema.ts';
import type { LaneState } from '../../platform/database/schema.ts';
import type { AnyOrderKind, OrderKinds } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** One run of the cleanup job wakes at most so many lanes; those that were driven longest ago come first. */
const AT_ONCE = 5_000;

const laneRows = z.object({
  rows: z.array(
    z.object({
      chain_id: z.string(),
      wallet_address: z.templateLiteral(['0x', z.string()]),
      queue: z.enum(['deploy', 'mint', 'transfer']),
    }),
  ),
});

/**
 * Lanes that have unfinished work which nothing has touched for as long as its kind allows, or confirmed work that is still to be looked at
 * once more.
 * @param at The time from which idleness is counted.
 * @returns each lane once, with the queue that carries its wake-up.
 */
export async function idleLanes(
  db: SystemDb,
  kinds: OrderKinds,
  at: Date,
): Promise<(WalletLane & { readonly queue: AnyOrderKind['queue'] })[]> {
  const limits = [...kinds.values()].map(({ name, queue, idleMinutes }) => ({ kind: name, queue, ...idleMinutes }));
  const shape = { kind: 'text', queue: 'text', waiting: 'integer', signed: 'integer' } as const;
  const time = at.toISOString();
  const reply = await db.sql.execute(sql`
    select t.chain_id, t.wallet_address, min(k.queue) as queue
    from ${transactions} t
    join ${recordset('k', shape, limits)} on k.kind = t.kind
    left join ${lanes} l on l.chain_id = t.chain_id and l.wallet_address = t.wallet_address
    where (t.state = 'waiting' and t.next_try_at <= ${time}::timestamptz - interval '1 minute' * k.waiting)
      or (t.state = 'signed' and coalesce(l.driven_at, t.updated_at) <= ${time}::timestamptz - interval '1 minute' * k.signed)
      or (t.state = 'confirmed' and not t.is_final)
    group by t.chain_id, t.wallet_address
    order by min(l.driven_at) nulls first
    limit ${AT_ONCE}`);
  return laneRows
    .parse(reply)
    .rows.map(({ chain_id: chainId, wallet_address: walletAddress, queue }) => ({ chainId, walletAddress, queue }));
}

/** A lane that something holds up. */
export interface TroubledLane {
  readonly chainId: string;
  readonly address: Address;
  readonly state: Exclude<LaneState, 'ok'>;
  /** The order that it is about; null where it is about all of them. */
  readonly orderId: string | null;
  readonly reason: string | null;
  readonly since: Date | null;
}

/** The lanes that are not well, longest first; for GET /status. */
export async function troubledLanes(db: SystemDb, limit: number): Promise<TroubledLane[]> {
  const rows = await db.sql
    .select()
    .from(lanes)
    .where(sql`${lanes.state} <> 'ok'`)
    .orderBy(lanes.since)
    .limit(limit);
  return rows.flatMap(({ chainId, walletAddress, state, orderId, reason, since }) =>
    state === 'ok' ? [] : [{ chainId, address: walletAddress, state, orderId, reason, since }],
  );
}
