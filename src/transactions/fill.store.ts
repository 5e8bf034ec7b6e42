import { and, eq, inArray } from 'drizzle-orm';
import { accountColumns } from '../accounts/accounts.store.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { corporateAccounts, oldTransactions as transactions } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import type { Operation } from './operation.ts';
import type { Wallet } from './transactions.store.ts';

/** A zero transfer of a wallet to itself: it uses up a nonce that would otherwise hold up all that come after it. */
export const fill: Operation<null, null> = {
  kind: 'fill',

  async claim({ db }, orderIds) {
    const rows = await db.sql
      .selectDistinctOn([transactions.orderId], {
        orderId: transactions.orderId,
        chainId: transactions.chainId,
        account: accountColumns,
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(corporateAccounts.walletAddress, transactions.walletAddress))
      .where(
        and(
          eq(transactions.kind, 'fill'),
          inArray(transactions.orderId, [...orderIds]),
          inArray(transactions.state, ['preparing', 'signed', 'broadcast']),
        ),
      );
    return rows.map((row) => ({ ...row, order: null }));
  },

  async buildCall(_, { account }) {
    return { to: account.walletAddress, data: '0x' };
  },

  async interpret() {
    return null;
  },

  markSent: () => undefined,

  settle: () => ({ statements: [], events: [] }),
};

/** Stores fills for a wallet's gaps. @returns their order ids, for the queue. */
export async function insertFills(db: SystemDb, wallet: Wallet, count: number, now: Date): Promise<string[]> {
  const rows = Array.from({ length: count }, () => ({
    id: newId(now.getTime()),
    kind: 'fill',
    orderId: newId(now.getTime()),
    ...wallet,
    state: 'preparing' as const,
    createdAt: now,
    updatedAt: now,
  }));
  if (rows.length > 0) await db.sql.insert(transactions).values(rows);
  return rows.map(({ orderId }) => orderId);
}
