import { Client } from 'pg';
import type { Wallet } from './corporate/wallet-signer.ts';
import { migrationState } from './migrate/migration-state.ts';

/** A database as a deployment finds it. */
export interface DatabaseState {
  /** This version's migrations that have not been applied, oldest first. */
  readonly pendingMigrations: readonly string[];
  /** Migrations whose files have changed since they were applied. */
  readonly editedMigrations: readonly string[];
  /** Whether migrations have been applied that this version does not have. */
  readonly isAhead: boolean;
  /** Whether the role may change rows of the audit log. */
  readonly mayChangeAuditLog: boolean;
  /** The wallets of ACTIVE accounts, main ones and relayers. */
  readonly wallets: readonly (Wallet & { readonly corporateId: string })[];
}

/**
 * Reads the state of a database as the role of the connection string.
 * @throws if it does not answer, or the role may not read which migrations have been applied.
 */
export async function databaseState(databaseUrl: string): Promise<DatabaseState> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, query_timeout: 20_000 });
  await client.connect();
  try {
    const { pending, edited, isAhead } = await migrationState(client);
    const readable = pending.length === 0 && edited.length === 0 && !isAhead;
    return {
      pendingMigrations: pending.map(({ name }) => name),
      editedMigrations: edited,
      isAhead,
      mayChangeAuditLog: readable && (await mayChangeAuditLog(client)),
      wallets: readable ? await activeWallets(client) : [],
    };
  } finally {
    await client.end();
  }
}

async function mayChangeAuditLog(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT has_table_privilege('audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER') OR has_any_column_privilege('audit_log', 'UPDATE')
       OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass), 'MEMBER') AS may`,
  );
  return rows[0]?.may !== false;
}

async function activeWallets(client: Client): Promise<DatabaseState['wallets']> {
  const { rows } = await client.query<DatabaseState['wallets'][number]>(
    `SELECT a.corporate_id AS "corporateId", w.address, w."keyId" FROM corporate_accounts a CROSS JOIN LATERAL (
       SELECT a.wallet_address AS address, a.secret_manager_key_id AS "keyId"
       UNION ALL SELECT r.address, r.secret_id FROM relayer_wallets r WHERE r.corporate_account_id = a.id AND r.replaced_at IS NULL
     ) w WHERE a.status = 'ACTIVE' ORDER BY a.id`,
  );
  return rows;
}
