import { and, count, eq, isNotNull, min, sql } from 'drizzle-orm';
import type { HoldReason } from '../platform/database/vocabulary/order-status.ts';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { corporateAccounts, orders, pausedChains } from '../platform/database/schema.ts';

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

/** Pauses an account by its `corporateId`. @returns its id and since when it is paused; undefined if there is none. */
export async function pauseAccount(db: SystemDb, corporateId: string, now: Date) {
  const named = eq(corporateAccounts.corporateId, corporateId);
  const pause = db.sql
    .update(corporateAccounts)
    .set({ pausedAt: sql`coalesce(${corporateAccounts.pausedAt}, ${now.toISOString()}::timestamptz)` })
    .where(named)
    .returning({ id: corporateAccounts.id, pausedAt: corporateAccounts.pausedAt });
  const { paused } = await runChange(db, { paused: pause }, sql`select id from ${corporateAccounts} where ${named}`);
  return paused[0];
}

/** Pauses a chain. @returns since when it is paused. */
export async function pauseChain(db: SystemDb, chainId: string, now: Date): Promise<Date> {
  const pause = db.sql
    .insert(pausedChains)
    .values({ chainId, pausedAt: now })
    .onConflictDoUpdate({ target: pausedChains.chainId, set: { pausedAt: sql`${pausedChains.pausedAt}` } })
    .returning();
  const { paused } = await runChange(db, { paused: pause }, sql`select ${chainId} as id`);
  return paused[0]?.pausedAt ?? now;
}

/** An account that is no longer paused, by its `corporateId`. @returns its id; undefined if there is none. */
export async function resumeAccount(db: SystemDb, corporateId: string): Promise<string | undefined> {
  const named = eq(corporateAccounts.corporateId, corporateId);
  const resume = db.sql
    .update(corporateAccounts)
    .set({ pausedAt: null })
    .where(named)
    .returning({ id: corporateAccounts.id });
  const { resumed } = await runChange(db, { resumed: resume }, sql`select id from ${corporateAccounts} where ${named}`);
  return resumed[0]?.id;
}

export async function resumeChain(db: SystemDb, chainId: string): Promise<void> {
  const resume = db.sql.delete(pausedChains).where(eq(pausedChains.chainId, chainId));
  await runChange(db, { resume }, sql`select ${chainId} as id`);
}

/** What is paused, longest first; at most `limit` of each. */
export async function listPauses(db: SystemDb, limit: number) {
  return await runBatch(db, {
    accounts: db.sql
      .select({ corporateId: corporateAccounts.corporateId, pausedAt: corporateAccounts.pausedAt })
      .from(corporateAccounts)
      .where(isNotNull(corporateAccounts.pausedAt))
      .orderBy(corporateAccounts.pausedAt)
      .limit(limit),
    chains: db.sql.select().from(pausedChains).orderBy(pausedChains.pausedAt).limit(limit),
  });
}

/** Orders that are held for one reason. */
export interface Held {
  readonly reason: HoldReason;
  readonly orders: number;
  /** Since when the first of them is held. */
  readonly since: Date | null;
}

/** The number of held orders, and since when the first of them is held, by reason. */
export async function countHeld(db: SystemDb): Promise<Held[]> {
  return await db.sql
    .select({
      reason: sql<HoldReason>`${orders.holdReason}`,
      orders: count(),
      since: min(orders.heldSince),
    })
    .from(orders)
    .where(and(sql`${orders.state} = 'waiting'`, isNotNull(orders.holdReason)))
    .groupBy(orders.holdReason)
    .orderBy(orders.holdReason);
}
