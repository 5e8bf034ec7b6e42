import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { runBatch, type SystemDb, type TenantDb } from '../platform/database/client.ts';
import type { Encryption } from '../platform/encryption.ts';
import { accountLimits, corporateAccounts, relayerWallets, webhookEndpoints } from '../platform/database/schema.ts';
import { newId } from '../core/record-id.ts';
import type { WalletAccount } from '../engine/wallet-account.store.ts';
import type { Account } from './account.ts';
import { encryptWebhookSecret, newWebhookSecret } from './webhook-secret.ts';
import { tagged } from '../platform/database/tagged.ts';

export const accountColumns = {
  id: corporateAccounts.id,
  corporateId: corporateAccounts.corporateId,
  walletAddress: corporateAccounts.walletAddress,
  secretManagerKeyId: corporateAccounts.secretManagerKeyId,
  relayerAddress: sql<Address | null>`(
    select w.address from ${relayerWallets} w
    where w.corporate_account_id = ${corporateAccounts}.id and w.replaced_at is null)`,
  isLimited: sql<boolean>`exists (select from ${accountLimits} l where l.corporate_account_id = ${corporateAccounts}.id)`,
};

/** ACTIVE accounts by both of their names. @param names Each a `corporateId` or an `_id`. */
export async function readAccounts(db: SystemDb, names: readonly string[]): Promise<Map<string, Account>> {
  const rows = await tagged(
    'find-accounts',
    db.sql
      .select(accountColumns)
      .from(corporateAccounts)
      .where(
        and(
          or(inArray(corporateAccounts.corporateId, [...names]), inArray(corporateAccounts.id, [...names])),
          eq(corporateAccounts.status, 'ACTIVE'),
        ),
      ),
  );
  return new Map([...rows.map((row) => [row.id, row] as const), ...rows.map((row) => [row.corporateId, row] as const)]);
}

/** The statement that serialises transactions of an account that must not run at once. */
export function lockAccount(db: TenantDb) {
  return db.sql
    .select({ id: corporateAccounts.id })
    .from(corporateAccounts)
    .where(eq(corporateAccounts.id, db.accountId))
    .for('no key update');
}

/** Inserts the built-in account's rows, or updates its wallet. */
export async function ensureAccount(db: SystemDb, account: WalletAccount, encryption: Encryption): Promise<void> {
  const { id, corporateId, walletAddress, secretManagerKeyId } = account;
  const endpointId = newId();
  await runBatch(db, {
    account: db.sql
      .insert(corporateAccounts)
      .values({ id, corporateId, walletAddress, secretManagerKeyId, corporateName: corporateId })
      .onConflictDoUpdate({
        target: corporateAccounts.id,
        set: { walletAddress },
      }),
    endpoint: db.sql
      .insert(webhookEndpoints)
      .values({
        id: endpointId,
        corporateAccountId: id,
        managedBy: 'operator',
        secretId: newId(),
        secret: await encryptWebhookSecret(encryption, endpointId, newWebhookSecret()),
      })
      .onConflictDoNothing(),
  });
}
