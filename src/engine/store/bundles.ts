import { sql } from 'drizzle-orm';
import { newId } from '../../core/record-id.ts';
import { runBatch, type SystemDb } from '../../platform/database/client.ts';
import { orders, unfinishedStates } from '../../platform/database/schema.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** The kind of transactions without an order of their own, which carry those of several orders or of none. */
export const BUNDLE = 'bundle';

/** Nonces that nothing uses, below others that are in flight. */
interface NonceGap {
  /** The lowest of them. */
  readonly first: number;
  readonly missing: number;
  /** One of the accounts that share the wallet. */
  readonly accountId: string;
}

/**
 * Stores the empty bundles that fill a gap of a lane; none if a transaction of the lane with a higher nonce is final, so that
 * the gap is an error of the node.
 */
export async function fillNonces(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  { first, missing, accountId }: NonceGap,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  for (let stored = 0; stored < missing; stored += 1) {
    const filler = db.sql.execute(sql`
      insert into ${orders}
        (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, next_try_at, created_at, updated_at)
      select ${newId(now.getTime())}, ${BUNDLE}, ${newId(now.getTime())}, ${accountId}, ${chainId}, ${walletAddress}, 'waiting',
        ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      where ${missing}::int > (
        select count(*) from ${orders} where chain_id = ${chainId} and wallet_address = ${walletAddress}
          and state = 'waiting' and kind = ${BUNDLE})
        and not exists (
          select 1 from ${orders} where chain_id = ${chainId} and wallet_address = ${walletAddress}
            and nonce > ${first} and bundle_id is null and state not in ${unfinishedStates} and is_final)`);
    await runBatch(db, { filler });
  }
}
