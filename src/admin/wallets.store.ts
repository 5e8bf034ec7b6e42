import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SystemDb } from '../platform/database/client.ts';
import { corporateAccounts, transactions } from '../platform/database/schema.ts';
import { valuesTable } from '../platform/database/values-table.ts';
import type { OwnedWallet } from './work-counts.store.ts';

/** The most transactions of a wallet whose costs are added. */
const MAX_COUNTED = 100_000;

const spentRows = z.object({
  rows: z.array(z.object({ chainId: z.string(), wallet: z.string(), wei: z.string().nullable() })),
});

/** What each wallet has spent on a chain since then, in wei, by `chainId:wallet` in lower case; by the index on costs. */
export async function spentSince(
  db: SystemDb,
  wallets: readonly OwnedWallet[],
  since: Date,
): Promise<ReadonlyMap<string, bigint>> {
  if (wallets.length === 0) return new Map();
  const values = wallets.map(({ chainId, corporateId, walletAddress }) => ({
    chain_id: chainId,
    corporate_id: corporateId,
    wallet: walletAddress.toLowerCase(),
  }));
  const reply = await db.sql.execute(sql`
    select v.chain_id as "chainId", v.wallet, (
      select sum(spent_wei) from (
        select spent_wei from ${transactions} t where t.corporate_account_id = a.id and t.chain_id = v.chain_id and t.wallet_address = v.wallet
          and t.spent_at is not null and t.spent_at >= ${since.toISOString()}::timestamptz
        limit ${MAX_COUNTED}
      ) own)::text as wei
    from ${valuesTable('v', { chain_id: 'text', corporate_id: 'text', wallet: 'text' }, values)}
    join ${corporateAccounts} a on a.corporate_id = v.corporate_id`);
  return new Map(
    spentRows.parse(reply).rows.map(({ chainId, wallet, wei }) => [`${chainId}:${wallet}`, BigInt(wei ?? 0)]),
  );
}
