import { eq } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { corporateAccounts, pausedChains } from '../platform/database/schema.ts';

/** An account by its `corporateId`, and since when it is paused; undefined if there is none. */
export async function findAccountPause(db: SystemDb, corporateId: string) {
  const { id, pausedAt } = corporateAccounts;
  const [row] = await db.sql
    .select({ id, pausedAt })
    .from(corporateAccounts)
    .where(eq(corporateAccounts.corporateId, corporateId));
  return row;
}

/** Since when a chain is paused; null if it is not. */
export async function findChainPause(db: SystemDb, chainId: string): Promise<Date | null> {
  const [row] = await db.sql.select().from(pausedChains).where(eq(pausedChains.chainId, chainId));
  return row?.pausedAt ?? null;
}
