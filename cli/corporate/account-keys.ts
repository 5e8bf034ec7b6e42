import type { z } from 'zod';
import { rightsOf, type KeyRights } from '../../src/accounts/account-key.ts';
import type { keyInput } from '../../src/keys/key-input.ts';
import { keyHash, newKeySecret } from '../../src/keys/key-secret.ts';
import { newId } from '../../src/core/record-id.ts';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';

/** A new key. */
interface NewKey extends KeyRights {
  readonly id: string;
  readonly name: string;
  /** The value of x-api-key, which is never stored. */
  readonly key: string;
}

/** A key in a list. */
interface ListedKey extends KeyRights {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: Date | null;
  readonly parentId: string | null;
  readonly createdAt: Date;
}

/** Creates a key of an account. @throws when the account does not exist. */
export async function createAccountKey(
  corporateId: string,
  input: z.output<typeof keyInput>,
  databaseUrl: string,
): Promise<NewKey> {
  const rights = rightsOf(input, undefined);
  const id = newId();
  const key = newKeySecret(rights.kind);
  const { kind, scopes, allowedAddresses, expiresAt } = rights;
  const values = [id, corporateId, kind, input.name, await keyHash(key), scopes, allowedAddresses, expiresAt];
  await inTransaction(databaseUrl, async (client) => {
    const { rowCount } = await client.query(
      `INSERT INTO account_keys (id, corporate_account_id, kind, name, hash, scopes, allowed_addresses, expires_at)
       SELECT $1, id, $3, $4, $5, $6, $7, $8 FROM corporate_accounts WHERE corporate_id = $2`,
      values,
    );
    if (rowCount === 0) throw new Error(`There is no account ${corporateId}`);
    await recordCommand(client, { name: 'create-key', corporateId, input, resourceIds: [id] });
  });
  return { id, name: input.name, ...rights, key };
}

/** The keys of an account that are not revoked, newest first. */
export async function listAccountKeys(corporateId: string, databaseUrl: string): Promise<ListedKey[]> {
  const { rows } = await inTransaction(databaseUrl, (client) =>
    client.query<ListedKey>(
      `SELECT id, name, kind, scopes, allowed_addresses AS "allowedAddresses", expires_at AS "expiresAt",
         last_used_at AS "lastUsedAt", parent_id AS "parentId", created_at AS "createdAt"
       FROM account_keys
       WHERE corporate_account_id = (SELECT id FROM corporate_accounts WHERE corporate_id = $1) AND revoked_at IS NULL
       ORDER BY id DESC`,
      [corporateId],
    ),
  );
  return rows;
}

/**
 * Revokes a key of an account. Revoking it again changes nothing.
 * @param withDescendants Also the keys that it created, and those that they created.
 * @throws when the account has no such key.
 */
export async function revokeAccountKey(
  corporateId: string,
  id: string,
  withDescendants: boolean,
  databaseUrl: string,
): Promise<void> {
  await inTransaction(databaseUrl, async (client) => {
    // Takes the lock that creating a key takes, so that a revoked key leaves no new descendant.
    await client.query('SELECT id FROM corporate_accounts WHERE corporate_id = $1 FOR NO KEY UPDATE', [corporateId]);
    const { rows } = await client.query<{ id: string }>(
      `WITH RECURSIVE family AS (
         SELECT k.id FROM account_keys k JOIN corporate_accounts a ON a.id = k.corporate_account_id
         WHERE k.id = $2 AND a.corporate_id = $1
         UNION ALL
         SELECT child.id FROM account_keys child JOIN family ON child.parent_id = family.id WHERE $3
       )
       UPDATE account_keys SET revoked_at = coalesce(revoked_at, now()) WHERE id IN (SELECT id FROM family)
       RETURNING id`,
      [corporateId, id, withDescendants],
    );
    if (rows.length === 0) throw new Error(`The account ${corporateId} has no key ${id}`);
    await recordCommand(client, { name: 'revoke-key', corporateId, resourceIds: rows.map((row) => row.id) });
  });
}
