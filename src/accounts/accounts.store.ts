import { and, eq, or } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { corporateAccounts } from '../platform/database/schema.ts';
import type { Account } from './account.ts';
import { tagged } from '../platform/database/tagged.ts';

/** The columns of an {@link Account}. */
export const accountColumns = {
  id: corporateAccounts.id,
  corporateId: corporateAccounts.corporateId,
  walletAddress: corporateAccounts.walletAddress,
  secretManagerKeyId: corporateAccounts.secretManagerKeyId,
};

/** @param name `corporateId` or `_id`. @returns undefined when no ACTIVE account has that name. */
export async function findActiveAccount(db: SystemDb, name: string): Promise<Account | undefined> {
  const [row] = await tagged(
    'find-account',
    db.sql
      .select(accountColumns)
      .from(corporateAccounts)
      .where(
        and(
          or(eq(corporateAccounts.corporateId, name), eq(corporateAccounts.id, name)),
          eq(corporateAccounts.status, 'ACTIVE'),
        ),
      )
      .limit(1),
  );
  return row;
}

/** Inserts the built-in account's row, or updates its wallet. */
export async function ensureAccount(db: SystemDb, account: Account): Promise<void> {
  await db.sql
    .insert(corporateAccounts)
    .values({ ...account, corporateName: account.corporateId, webhookSecret: newWebhookSecret() })
    .onConflictDoUpdate({
      target: corporateAccounts.id,
      set: { walletAddress: account.walletAddress },
    });
}

function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
