import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../../core/ids.ts';
import type { Condition, Rows, SystemDb } from '../../platform/database/client.ts';
import { transactions } from '../../platform/database/schema.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** Kind of the transactions without an order. */
export const FILLER = 'filler';

/** A filler has no order beside its transaction. */
export function loadFillers(db: SystemDb, condition: Condition): Rows<{ orderId: string; order: null }> {
  return db.sql
    .select({ orderId: transactions.orderId, order: sql<null>`null` })
    .from(transactions)
    .where(and(eq(transactions.kind, FILLER), condition));
}

/** Stores as many fillers as a lane lacks, for one of the accounts whose wallet it is. */
export async function insertFillers(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  accountId: string,
  missing: number,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  for (let made = 0; made < missing; made += 1) {
    await db.sql.execute(sql`
      insert into ${transactions}
        (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, next_try_at, created_at, updated_at)
      select ${newId(now.getTime())}, ${FILLER}, ${newId(now.getTime())}, ${accountId}, ${chainId}, ${walletAddress}, 'waiting',
        ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      where ${missing}::int > (
        select count(*) from ${transactions} where chain_id = ${chainId} and wallet_address = ${walletAddress}
          and state = 'waiting' and kind = ${FILLER})`);
  }
}
