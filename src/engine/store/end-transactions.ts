import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { z } from 'zod';
import { runBatch } from '../../platform/database/client.ts';
import type { Statement, SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { transactions } from '../../platform/database/schema.ts';
import { feeColumnsOf } from '../../platform/rates/fee.ts';
import { insertEvents, insertedDeliveries } from '../../webhooks/events.store.ts';
import type { Job } from '../job.ts';
import type { AnyOrderKind, OrderEnd, Outcome } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { ofBatch } from '../transactions.store.ts';
import { noteLane } from './lane-row.ts';
import type { LaneNote } from './lane-row.ts';
import { writeOrders } from './write-orders.ts';

/** How a transaction ends. */
export interface Ending {
  readonly job: Job;
  readonly outcome: Outcome<unknown, unknown>;
  /** The mined transaction that ended it; null where none was mined. */
  readonly mined: { readonly txHash: Hex; readonly blockNumber: number; readonly blockHash: Hex } | null;
  /** Whether its nonce is used up; without that only a transaction that has no nonce ends. */
  readonly isNonceUsed: boolean;
  /** Whether the block can no longer be taken back. */
  readonly isFinal: boolean;
}

/** What a batch of endings came to. */
export interface Ended {
  /** Ids of the transactions that this batch ended; the others were changed by another driver meanwhile. */
  readonly transactionIds: ReadonlySet<string>;
  /** Deliveries of the events, to be made. */
  readonly deliveryIds: readonly string[];
  /** Lanes with work that waited for these orders. */
  readonly released: readonly WalletLane[];
}

const endedReply = z.object({ rows: z.array(z.object({ id: z.string() })) });

/**
 * Ends transactions in one SQL transaction with their orders, what the orders link, and the events. Its first statement ends the rows, each
 * only as it was read, and marks them with the batch's id; every other statement is bound to that mark. Asked twice, it changes nothing the
 * second time.
 */
export async function endTransactions(
  db: SystemDb,
  lane: WalletLane,
  batchId: string,
  endings: readonly Ending[],
  note: LaneNote | null,
  now: Date,
): Promise<Ended> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  const releases = Array.from(byKind.keys(), ({ dependency }) => dependency).filter(
    (dependency) => dependency !== null,
  );
  const ends = new Map(endings.map((ending) => [ending, endOf(ending)]));
  const events = insertEvents(
    db,
    batchId,
    endings.flatMap((ending) => eventOf(ending, ends.get(ending) ?? endOf(ending))),
  );
  const results = await runBatch(db, [
    markEnded(db, batchId, endings, now),
    ...Array.from(byKind, ([kind, own]) => writeOrderEnds(db, batchId, kind, own, ends)).flat(),
    ...Array.from(byKind, ([kind, own]) =>
      kind.ended(
        db,
        batchId,
        own.map(({ outcome }) => outcome),
      ),
    ).flat(),
    events,
    ...releases.map((dependency) => dependency.release(db, batchId, now)),
    noteLane(db, lane, note, now),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a batch forgets the types of its statements; these come before the last one
  const released = results.slice(-1 - releases.length, -1).flat() as WalletLane[];
  return {
    transactionIds: new Set(endedReply.parse(results[0]).rows.map(({ id }) => id)),
    deliveryIds: insertedDeliveries(results.at(-2 - releases.length)),
    released,
  };
}

function markEnded(db: SystemDb, batchId: string, endings: readonly Ending[], now: Date): Statement {
  const shape = {
    id: 'text',
    version: 'integer',
    state: 'text',
    tx_hash: 'text',
    block_number: 'bigint',
    block_hash: 'text',
    is_nonce_used: 'boolean',
    is_final: 'boolean',
  } as const;
  const values = endings.map(({ job, outcome, mined, isNonceUsed, isFinal }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    state: outcome.result,
    tx_hash: mined?.txHash ?? null,
    block_number: mined?.blockNumber ?? null,
    block_hash: mined?.blockHash ?? null,
    is_nonce_used: isNonceUsed,
    is_final: isFinal,
  }));
  return db.sql.execute(
    tagged(
      'end-transactions',
      sql`
    with v as materialized (select * from ${valuesTable('v', shape, values)}),
    locked as (select id from ${transactions} where id in (select id from v) order by id for update)
    update ${transactions} t set state = v.state, version = t.version + 1, endings = t.endings + 1, tx_hash = v.tx_hash,
      block_number = v.block_number, block_hash = v.block_hash, is_final = v.is_final, batch_id = ${batchId},
      hold_reason = null, hold_detail = null, held_since = null, updated_at = ${now.toISOString()}::timestamptz
    from v join locked using (id)
    where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))
    returning t.id`,
    ),
  );
}

function writeOrderEnds(
  db: SystemDb,
  batchId: string,
  { name, orders }: AnyOrderKind,
  endings: readonly Ending[],
  ends: ReadonlyMap<Ending, OrderEnd>,
): Statement[] {
  if (orders === null) return [];
  const rows = endings.flatMap((ending) => {
    const end = ends.get(ending);
    return end === undefined ? [] : [{ id: ending.job.claim.orderId, ...end }];
  });
  return [writeOrders(db, orders, rows, ofBatch(batchId, name, sql`v.id`))];
}

/** What an ending writes into its order. */
function endOf({ job: { kind }, outcome }: Ending): OrderEnd {
  const confirmed = outcome.result === 'confirmed';
  const fee = confirmed ? outcome.fee : outcome.mined?.fee;
  return {
    status: kind.orders?.statuses[outcome.result] ?? outcome.result,
    txHash: outcome.mined?.txHash ?? null,
    gasUsed: fee?.gasUsed ?? null,
    ...feeColumnsOf(fee),
    errorMessage: confirmed ? null : outcome.reason,
    completedAt: outcome.at,
    updatedAt: outcome.at,
  };
}

function eventOf({ job: { kind, claim }, outcome }: Ending, end: OrderEnd) {
  if (kind.events === null) return [];
  return [
    {
      kind: kind.name,
      type: kind.events.types[outcome.result],
      accountId: claim.account.id,
      orderId: claim.orderId,
      at: outcome.at,
      data: kind.events.reply(outcome, end),
    },
  ];
}
