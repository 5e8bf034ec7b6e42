import { sql } from 'drizzle-orm';
import { runBatch } from '../../platform/database/client.ts';
import type { SystemDb } from '../../platform/database/client.ts';
import { isGuardFailure, isUniqueViolation } from '../../platform/database/errors.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { attempts, transactions } from '../../platform/database/schema.ts';
import { insertNotices, insertedDeliveries } from '../../webhooks/events.store.ts';
import type { NoticeDraft } from '../../webhooks/notices.ts';
import type { NewAttempt } from '../job.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { noteLane } from './lane-row.ts';
import type { LaneNote } from './lane-row.ts';

/** The deliveries of the notices that were stored with the attempts. */
export interface Stored {
  readonly deliveryIds: readonly string[];
}

/**
 * Stores attempts, all or none, each where its transaction still is as it was read: `waiting` for a first attempt, `signed` with this nonce
 * for a replacement. Only then may the bytes leave.
 * @param refusal Why no node takes what the attempts replace; null for other reasons.
 * @returns undefined when none of them is stored: another driver has changed one of the transactions, or has one of the nonces.
 * @throws when there is no answer: whether they are stored must be read again.
 */
export async function storeAttempts(
  db: SystemDb,
  lane: WalletLane,
  from: 'waiting' | 'signed',
  rows: readonly NewAttempt[],
  note: LaneNote,
  now: Date,
  refusal: string | null = null,
): Promise<Stored | undefined> {
  const shape = {
    id: 'text',
    version: 'integer',
    number: 'integer',
    nonce: 'bigint',
    hash: 'text',
    raw: 'text',
    purpose: 'text',
    gas: 'bigint',
    max_fee: 'numeric',
    max_tip: 'numeric',
  } as const;
  const values = rows.map(({ job, nonce, hash, raw, purpose, gas, offer }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    number: job.attempts.length + 1,
    nonce,
    hash,
    raw,
    purpose,
    gas,
    max_fee: offer.maxFeePerGas,
    max_tip: offer.maxPriorityFeePerGas,
  }));
  const at = now.toISOString();
  const holdsNonce = from === 'signed' ? sql`and t.nonce = v.nonce` : sql``;
  try {
    const statement = db.sql.execute(
      tagged(
        'store-attempts',
        sql`
      with v as materialized (select * from ${valuesTable('v', shape, values)}),
      locked as (select id from ${transactions} where id in (select id from v) order by id for update),
      changed as (
        update ${transactions} t set state = 'signed', nonce = v.nonce, version = t.version + 1, tries = 0, hold_reason = null,
          hold_detail = null, held_since = null, refusal = coalesce(${refusal}::text, t.refusal), updated_at = ${at}::timestamptz
        from v join locked using (id)
        where t.id = v.id and t.version = v.version and t.state = ${from} ${holdsNonce}
        returning t.id
      ),
      added as (
        insert into ${attempts}
          (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas, max_priority_fee_per_gas, created_at)
        select v.id, v.number, v.nonce, v.hash, v.raw, v.purpose, v.gas, v.max_fee, v.max_tip, ${at}::timestamptz
        from v join changed on changed.id = v.id
      )
      select 1 / (case when count(*) = ${values.length}::int then 1 else 0 end) as stored from changed`,
      ),
    );
    // The look that the nonces rest on goes with them: it says where to search, should a stranger take one.
    const sent = from === 'waiting' ? rows.flatMap((row) => sentNotice(lane, row, now)) : [];
    const notices = sent.length === 0 ? [] : [insertNotices(db, sent)];
    const results = await runBatch(db, [statement, ...notices, noteLane(db, lane, note, now)]);
    return { deliveryIds: sent.length === 0 ? [] : insertedDeliveries(results[1]) };
  } catch (error) {
    // A division by zero: the statement itself undoes what it did where it changed fewer rows than it was given.
    if (
      isGuardFailure(error) ||
      isUniqueViolation(error, 'transactions_nonce') ||
      isUniqueViolation(error, 'attempts_transaction_id_number_pk')
    ) {
      return undefined;
    }
    throw error;
  }
}

/** A first attempt with a nonce is sent as soon as it is stored. */
function sentNotice(
  { chainId, walletAddress }: WalletLane,
  { job: { kind, claim }, hash, nonce }: NewAttempt,
  at: Date,
): NoticeDraft[] {
  if (kind.orders === null) return [];
  const { orderId, account } = claim;
  const data = { orderId, orderKind: kind.name, chainId, walletAddress, txHash: hash, nonce };
  return [{ type: 'order.sent', accountId: account.id, orderId, at, data }];
}
