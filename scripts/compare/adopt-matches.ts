import { sql } from 'drizzle-orm';
import { runBatch, type SystemDb } from '../../src/platform/database/client.ts';
import { abortTransaction } from '../../src/platform/database/errors.ts';
import { attempts, transactions } from '../../src/platform/database/schema.ts';
import { isComplete, type Comparison } from './comparison.ts';

/**
 * Stores mined transactions as attempts of the orders that they carried out, those of all chains in one SQL
 * transaction: the engine then ends these orders by their receipts, as if it had sent them. Displaced transactions that
 * nothing has carried out wait again. When the orders last changed stays as it was: the next comparison reads the same
 * blocks.
 * @returns whether it did: not while the comparison of a chain is incomplete, since a transaction that is not read yet
 *   may be the one that carried out an order.
 * @throws if one of the orders has changed since it was read; nothing is then stored.
 */
export async function adoptMatches(
  db: SystemDb,
  comparisons: readonly Pick<Comparison, 'matching' | 'unsettled' | 'unexplained'>[],
  now: Date,
): Promise<boolean> {
  if (!comparisons.every(isComplete)) return false;
  const matches = comparisons.flatMap(({ matching }) => matching.matches);
  const displaced = comparisons.flatMap(({ matching }) => matching.displaced);
  if (matches.length === 0) return true;
  const at = now.toISOString();
  const touched = [...new Set([...displaced, ...matches.map(({ of }) => of)])];
  await runBatch(db, [
    // A nonce may move from one to another; none may have two holders in between.
    db.sql.execute(sql`
      with v as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(touched.map(({ id, version }) => ({ id, version })))}::jsonb)
          as v(id text, version integer)
      ),
      freed as (
        update ${transactions} t set state = 'waiting', nonce = null, spent_wei = null, spent_at = null, version = t.version + 1, tries = 0, next_try_at = ${at}::timestamptz
        from v where t.id = v.id and t.version = v.version and t.state in ('waiting', 'signed') returning t.id
      )
      select ${abortTransaction('transactions_changed')} from freed having count(*) <> ${touched.length}::int`),
    ...matches.flatMap(({ mined, of, purpose }) => {
      const spent = String(mined.gas * mined.maxFeePerGas);
      return [
        db.sql.execute(sql`
          update ${transactions} set state = 'signed', nonce = ${mined.nonce}, hold_reason = null, hold_detail = null, held_since = null,
            spent_wei = greatest(spent_wei, ${spent}::numeric), spent_at = coalesce(spent_at, ${at}::timestamptz)
          where id = ${of.id}`),
        db.sql.insert(attempts).values({
          transactionId: of.id,
          number: of.attempts + 1,
          nonce: mined.nonce,
          hash: mined.hash,
          raw: mined.raw,
          purpose,
          gas: Number(mined.gas),
          maxFeePerGas: String(mined.maxFeePerGas),
          maxPriorityFeePerGas: String(mined.maxPriorityFeePerGas),
          createdAt: now,
        }),
      ];
    }),
  ]);
  return true;
}
