import { and, eq, inArray, or } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { corporateAccounts, webhookEndpoints } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import type { Account } from './account.ts';
import { encryptWebhookSecret, newWebhookSecret } from './webhook-secret.ts';
import { tagged } from '../platform/database/tagged.ts';

/** The columns of an {@link Account}. */
export const accountColumns = {
  id: corporateAccounts.id,
  corporateId: corporateAccounts.corporateId,
  walletAddress: corporateAccounts.walletAddress,
  secretManagerKeyId: corporateAccounts.secretManagerKeyId,
};

/**
 * @param names Each a `corporateId` or an `_id`.
 * @returns the accounts by name, without those names that no ACTIVE account has.
 */
export async function findActiveAccounts(db: SystemDb, names: readonly string[]): Promise<Map<string, Account>> {
  const rows = await tagged(
    'find-accounts',
    db.sql
      .select(accountColumns)
      .from(corporateAccounts)
      .where(
        and(
          or(inArray(corporateAccounts.corporateId, names), inArray(corporateAccounts.id, names)),
          eq(corporateAccounts.status, 'ACTIVE'),
        ),
      ),
  );
  return new Map([...rows.map((row) => [row.id, row] as const), ...rows.map((row) => [row.corporateId, row] as const)]);
}

/** Inserts the built-in account's rows, or updates its wallet. */
export async function ensureAccount(db: SystemDb, account: Account, encryption: Encryption): Promise<void> {
  const endpointId = newId();
  await db.sql.batch([
    db.sql
      .insert(corporateAccounts)
      .values({ ...account, corporateName: account.corporateId })
      .onConflictDoUpdate({
        target: corporateAccounts.id,
        set: { walletAddress: account.walletAddress },
      }),
    db.sql
      .insert(webhookEndpoints)
      .values({
        id: endpointId,
        corporateAccountId: account.id,
        managedBy: 'operator',
        secretId: newId(),
        secret: await encryptWebhookSecret(encryption, endpointId, newWebhookSecret()),
      })
      .onConflictDoNothing(),
  ]);
}
