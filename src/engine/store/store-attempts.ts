import { sql } from 'drizzle-orm';
import type { Wei } from '../../chains/wei.ts';
import type { UnfinishedState } from '../../platform/database/vocabulary/order-status.ts';
import { runBatch } from '../../platform/database/client.ts';
import { abortTransaction, isAborted, isUniqueViolation } from '../../platform/database/errors.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { attempts, lanes, orders } from '../../platform/database/schema.ts';
import { isOrder, isStored, type Job, type NewAttempt } from '../job.ts';
import type { EngineServices } from '../lane-context.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { BUNDLE } from './bundles.ts';
import { isSetBack, saveLane, type LaneSnapshot } from './lane-row.ts';

export interface Stored {
  /** The endpoints to notify of the attempts. */
  readonly receivers: readonly string[];
  /** When first attempts were last stored. */
  readonly signedAt: Date | null;
}

/**
 * Stores attempts, all or none, provided that each transaction is unchanged since it was read: `waiting` for a first
 * attempt, `signed` with the same nonce for a replacement. Only stored bytes may be sent. No first attempt takes an
 * account above its spend limit of a day. The first attempt of a bundle begins the bundle: what it carries, if anything,
 * is signed with it.
 * @param head The head's block number: what is first signed does not depend on a later block, or else it would be held.
 * @param refusal Why no node accepts the replaced attempts; null for other replacements.
 * @returns undefined if none was stored, because another driver has changed one of the transactions, uses one of the
 *   nonces, or has spent the rest of a limit, or the database was set back.
 * @throws if there is no reply: whether the attempts are stored must be read again.
 */
export async function storeAttempts(
  { db, admission, hooks }: Pick<EngineServices, 'db' | 'admission' | 'hooks'>,
  lane: WalletLane,
  from: UnfinishedState,
  rows: readonly NewAttempt[],
  head: number,
  snapshot: LaneSnapshot,
  now: Date,
  refusal: string | null = null,
): Promise<Stored | undefined> {
  const values = rows.map(({ job, nonce, hash, raw, purpose, gas, offer }) => ({
    id: job.transaction.id,
    number: job.attempts.length + 1,
    nonce,
    hash,
    raw,
    purpose,
    gas,
    max_fee: offer.maxFeePerGas,
    max_tip: offer.maxPriorityFeePerGas,
  }));
  const signed = rows.flatMap(({ job, carried, part, nonce, gas, offer }): SignedRow[] =>
    isStored(job)
      ? [{ ...idOf(job), nonce, spent: gas * offer.maxFeePerGas }]
      : carried.map((one, place) => ({
          ...idOf(one),
          nonce,
          bundle_id: job.transaction.id,
          place: part?.place ?? place,
          size: part?.size ?? carried.length,
        })),
  );
  const bundles = rows
    .filter(({ job }) => !isStored(job))
    .map(({ job: { transaction, claim }, nonce, gas, offer }) => ({
      id: transaction.id,
      order_id: claim.orderId,
      account: claim.account.id,
      trace: transaction.trace,
      nonce,
      spent: gas * offer.maxFeePerGas,
    }));
  const at = now.toISOString();
  const holdsNonce = from === 'signed' ? sql`and t.nonce = u.nonce` : sql``;
  const notBefore =
    from === 'signed'
      ? sql`t.not_before_block`
      : sql`case when t.not_before_block > ${head}::bigint then ${head}::bigint else t.not_before_block end`;
  try {
    const statement = db.sql.execute(
      tagged(
        'store-attempts',
        sql`
      with u as materialized (select * from ${valuesTable('u', SIGNED, signed)}),
      locked as (select id from ${orders} where id in (select id from u) order by id for update),
      changed as (
        update ${orders} t set state = 'signed', nonce = u.nonce, bundle_id = coalesce(u.bundle_id, t.bundle_id),
          bundle_place = coalesce(u.place, t.bundle_place), bundle_size = coalesce(u.size, t.bundle_size),
          version = t.version + 1, tries = 0, hold_reason = null, hold_detail = null, held_since = null,
          spent_wei = greatest(t.spent_wei, u.spent), spent_at = coalesce(t.spent_at, ${at}::timestamptz),
          sent_at = coalesce(t.sent_at, ${at}::timestamptz),
          not_before_block = ${notBefore}, refusal = coalesce(${refusal}::text, t.refusal), updated_at = ${at}::timestamptz
        from u join locked using (id)
        where t.id = u.id and t.version = u.version and t.state = ${from} ${holdsNonce}
        returning t.id
      ),
      begun as (
        insert into ${orders} (id, kind, order_id, corporate_account_id, chain_id, wallet_address, trace, state, nonce,
          spent_wei, spent_at, next_try_at, created_at, updated_at)
        select b.id, ${BUNDLE}, b.order_id, b.account, ${lane.chainId}, ${lane.walletAddress}, b.trace, 'signed', b.nonce,
          b.spent, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
        from ${valuesTable('b', BEGUN, bundles)}
      ),
      added as (
        insert into ${attempts}
          (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas, max_priority_fee_per_gas, created_at)
        select v.id, v.number, v.nonce, v.hash, v.raw, v.purpose, v.gas, v.max_fee, v.max_tip, ${at}::timestamptz
        from ${valuesTable('v', ATTEMPT, values)}
      )
      select ${abortTransaction('transactions_changed')} from changed
      having count(*) <> ${signed.length}::int or ${from === 'waiting' ? isSetBack(lane, snapshot.signedAt) : sql`false`}`,
      ),
    );
    const first = from === 'signed' ? [] : ordersOf(rows);
    const guarded = first.flatMap(({ job }) => (job.standing?.isGuarded === true ? [job.claim.account.id] : []));
    const guard = guarded.length === 0 ? undefined : admission.guard(db, lane.chainId, [...new Set(guarded)], now);
    // The observation behind the nonces is stored with them: it says where to search if another transaction uses one.
    const { told, laneRows } = await runBatch(db, {
      lock: guard?.lock,
      statement,
      guard: guard?.check,
      told: first.length === 0 ? undefined : hooks.sent(db, lane, first, now),
      laneRows: saveLane(db, lane, snapshot, now, from === 'waiting').returning({ signedAt: lanes.signedAt }),
    });
    return { receivers: told === undefined ? [] : hooks.receiversOf(told), signedAt: laneRows[0]?.signedAt ?? null };
  } catch (error) {
    if (
      isAborted(error, 'transactions_changed') ||
      admission.isExceeded(error) ||
      isUniqueViolation(error, 'orders_nonce') ||
      isUniqueViolation(error, 'attempts_transaction_id_number_pk')
    ) {
      return undefined;
    }
    throw error;
  }
}

/** A row that is signed with its first attempt, or with its bundle's. */
interface SignedRow {
  readonly id: string;
  readonly version: number;
  readonly nonce: number;
  /** Null: its bundle's. */
  readonly spent: Wei | null;
  readonly bundle_id: string | null;
  readonly place: number | null;
  readonly size: number | null;
}

const SIGNED = {
  id: 'text',
  version: 'integer',
  nonce: 'bigint',
  spent: 'numeric',
  bundle_id: 'text',
  place: 'integer',
  size: 'integer',
} as const;
const BEGUN = {
  id: 'text',
  order_id: 'text',
  account: 'text',
  trace: 'text',
  nonce: 'bigint',
  spent: 'numeric',
} as const;
const ATTEMPT = {
  id: 'text',
  number: 'integer',
  nonce: 'bigint',
  hash: 'text',
  raw: 'text',
  purpose: 'text',
  gas: 'bigint',
  max_fee: 'numeric',
  max_tip: 'numeric',
} as const;

function idOf({ transaction: { id, version } }: Job) {
  return { id, version, spent: null, bundle_id: null, place: null, size: null } as const;
}

/** The orders that attempts carry out, each with its attempt. */
function ordersOf(rows: readonly NewAttempt[]): readonly NewAttempt[] {
  return rows
    .flatMap((row) => (row.carried.length === 0 ? [row] : row.carried.map((job) => ({ ...row, job }))))
    .filter(({ job }) => isOrder(job));
}
