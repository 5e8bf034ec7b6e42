import { eq, inArray, sql } from 'drizzle-orm';
import { newId } from '../../src/core/record-id.ts';
import { BUNDLE } from '../../src/engine/store/bundles.ts';
import { runBatch, type Statement, type SystemDb } from '../../src/platform/database/client.ts';
import { abortTransaction } from '../../src/platform/database/errors.ts';
import { attempts, claims, corporateAccounts, imports, lanes, orders } from '../../src/platform/database/schema.ts';
import { valuesTable } from '../../src/platform/database/values.ts';
import type { Match } from './match-transactions.ts';
import { isComplete, type Comparison } from './comparison.ts';

/**
 * Stores mined transactions as attempts of the orders that they carried out, those of all chains in one SQL
 * transaction: the engine then ends these orders by their receipts, as if it had sent them. Those that carried out
 * several orders become bundles. Displaced transactions that nothing has carried out wait again, and displaced bundles
 * end. Claims get their receivers. When the orders last changed stays as it was: the next comparison reads the same
 * blocks. Running imports are paused, and so are accounts whose wallet may have been moved. Lanes that were in doubt of
 * the database sign again.
 * @returns whether it did: not while the comparison of a chain is incomplete, since a transaction that is not read yet
 *   may be the one that carried out an order.
 * @throws if one of the orders has changed since it was read; nothing is then stored.
 */
export async function adoptMatches(
  db: SystemDb,
  comparisons: readonly Omit<Comparison, 'fromBlock'>[],
  now: Date,
): Promise<boolean> {
  if (!comparisons.every(isComplete)) return false;
  const matches = comparisons.flatMap(({ matching }) => matching.matches);
  const displaced = comparisons.flatMap(({ matching }) => matching.displaced);
  const moved = comparisons.flatMap((each) => each.moved);
  const at = now.toISOString();
  const touched = [
    ...new Set([...displaced, ...displaced.flatMap(({ carried }) => carried), ...matches.map(({ of }) => of)]),
  ];
  const adopted = [...Map.groupBy(matches, ({ mined }) => mined).values()];
  await runBatch(db, {
    // Their cursors are from before rows that may have been ordered since: their accounts decide whether they go on.
    imports: db.sql.update(imports).set({ status: 'PAUSED', updatedAt: now }).where(eq(imports.status, 'RUNNING')),
    accounts: db.sql
      .update(corporateAccounts)
      .set({ pausedAt: sql`coalesce(${corporateAccounts.pausedAt}, ${at}::timestamptz)` })
      .where(inArray(corporateAccounts.corporateId, moved)),
    // A nonce may move from one to another; none may have two holders in between.
    freed: db.sql.execute(sql`
      with v as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(touched.map(({ id, version }) => ({ id, version })))}::jsonb)
          as v(id text, version integer)
      ),
      freed as (
        update ${orders} t set state = case when t.kind = ${BUNDLE} then 'cancelled' else 'waiting' end, is_final = t.kind = ${BUNDLE},
          nonce = null, earlier_bundle_id = coalesce(t.bundle_id, t.earlier_bundle_id), bundle_id = null, bundle_place = null, bundle_size = null,
          refusal = null, spent_wei = null, spent_at = null, version = t.version + 1, tries = 0, next_try_at = ${at}::timestamptz
        from v where t.id = v.id and t.version = v.version and t.state in ('waiting', 'signed') returning t.id
      )
      select ${abortTransaction('transactions_changed')} from freed having count(*) <> ${touched.length}::int`),
    adopted: adopted.map((own) => adoption(db, own, now)),
    receivers: nameReceivers(db, matches),
    lanes: releaseLanes(db, comparisons, at),
  });
  return true;
}

/**
 * The statement that records of each wallet which nonces are accounted for, and that the database lacks nothing that its
 * lane has signed.
 */
function releaseLanes(db: SystemDb, comparisons: readonly Omit<Comparison, 'fromBlock'>[], at: string): Statement {
  const used = comparisons.flatMap(({ chainId, toBlock: block, used: own }) =>
    own.map((each) => ({ ...each, chain: chainId, block })),
  );
  const shape = { chain: 'text', wallet: 'text', block: 'bigint', count: 'bigint' } as const;
  return db.sql.execute(sql`
    insert into ${lanes} as l (chain_id, wallet_address, floor, observations, signed_at)
    select v.chain, v.wallet, v.count, jsonb_build_array(jsonb_build_array(v.block, v.count)), ${at}::timestamptz
    from ${valuesTable('v', shape, used)}
    on conflict (chain_id, wallet_address) do update set floor = greatest(l.floor, excluded.floor),
      signed_at = greatest(l.signed_at + interval '1 millisecond', excluded.signed_at)`);
}

/** The statement that names the receivers of claims, so that nobody claims them again. */
function nameReceivers(db: SystemDb, matches: readonly Match[]): Statement {
  const named = matches.flatMap(({ mined, of, receiver }) =>
    receiver === undefined ? [] : [{ id: of.orderId, receiver, at: mined.minedAt.toISOString() }],
  );
  return db.sql.execute(sql`
    with v as (select * from ${valuesTable('v', { id: 'text', receiver: 'text', at: 'timestamptz' }, named)}),
    received as (update ${orders} o set receiver_address = v.receiver from v where o.id = v.id)
    update ${claims} c set claimed_at = v.at from v where c.id = v.id`);
}

/** The statements that store a mined transaction as an attempt of the orders that it has carried out. */
function adoption(db: SystemDb, matches: readonly Match[], now: Date): Statement[] {
  const [first] = matches;
  if (first === undefined) return [];
  const { mined, of, purpose, part } = first;
  const at = now.toISOString();
  const spent = String(mined.gas * mined.maxFeePerGas);
  const bundleId = part === undefined ? null : newId(now.getTime());
  const ownerId = bundleId ?? of.id;
  const signed = matches.map(({ of: { id }, part: own }) => ({
    id,
    place: own?.place ?? null,
    size: own?.size ?? null,
  }));
  return [
    db.sql.execute(sql`
      update ${orders} t set state = 'signed', is_final = false, nonce = ${mined.nonce}, bundle_id = ${bundleId}::text, bundle_place = v.place, bundle_size = v.size,
        approval_until = null, hold_reason = null, hold_detail = null, held_since = null, spent_at = coalesce(t.spent_at, ${at}::timestamptz),
        sent_at = coalesce(t.sent_at, ${at}::timestamptz), spent_wei = case when ${bundleId}::text is null then greatest(t.spent_wei, ${spent}::numeric) end
      from ${valuesTable('v', { id: 'text', place: 'integer', size: 'integer' }, signed)} where t.id = v.id`),
    ...(bundleId === null
      ? []
      : [
          db.sql.execute(sql`
      insert into ${orders} (id, kind, order_id, corporate_account_id, chain_id, wallet_address, trace, state, nonce, spent_wei, spent_at,
        next_try_at, created_at, updated_at)
      select ${bundleId}, ${BUNDLE}, ${bundleId}, corporate_account_id, chain_id, wallet_address, trace, 'signed', ${mined.nonce}, ${spent}::numeric,
        ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz, updated_at from ${orders} where id = ${of.id}`),
        ]),
    db.sql.execute(sql`
      insert into ${attempts} (transaction_id, number, nonce, hash, raw, purpose, gas, max_fee_per_gas, max_priority_fee_per_gas, created_at)
      select ${ownerId}, coalesce(max(number), 0) + 1, ${mined.nonce}, ${mined.hash}, ${mined.raw}, ${purpose}, ${Number(mined.gas)}::bigint,
        ${String(mined.maxFeePerGas)}::numeric, ${String(mined.maxPriorityFeePerGas)}::numeric, ${at}::timestamptz
      from ${attempts} where transaction_id = ${ownerId}`),
  ];
}
