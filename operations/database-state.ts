import { readFileSync } from 'node:fs';
import { Client, DatabaseError } from 'pg';
import type { Address } from 'viem';
import { z } from 'zod';

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) });

/** A database as a deployment finds it. */
export interface DatabaseState {
  /** This version's migrations that have not been applied, oldest first. */
  readonly pendingMigrations: readonly string[];
  /** Whether migrations of a later version have been applied. */
  readonly isAhead: boolean;
  /** Whether the role may change rows of the audit log. */
  readonly mayChangeAuditLog: boolean;
  /** The wallets of ACTIVE accounts, main ones and relayers. */
  readonly wallets: readonly { readonly corporateId: string; readonly address: Address }[];
}

/**
 * Reads the state of a database as the role of the connection string.
 * @throws if it does not answer, or the role may not read which migrations have been applied.
 */
export async function databaseState(databaseUrl: string): Promise<DatabaseState> {
  const journal = journalSchema.parse(
    JSON.parse(readFileSync(new URL('../migrations/meta/_journal.json', import.meta.url), 'utf8')),
  ).entries;
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000, query_timeout: 20_000 });
  await client.connect();
  try {
    const applied = await lastMigration(client);
    const pending = journal.filter(({ when }) => when > applied);
    const isAhead = applied > Math.max(...journal.map(({ when }) => when));
    const readable = pending.length === 0 && !isAhead;
    return {
      pendingMigrations: pending.map(({ tag }) => tag),
      isAhead,
      mayChangeAuditLog: readable && (await mayChangeAuditLog(client)),
      wallets: readable ? await activeWallets(client) : [],
    };
  } finally {
    await client.end();
  }
}

/** @returns when the newest applied migration was made, as in the journal; 0 if none was. */
export async function lastMigration(client: Client): Promise<number> {
  try {
    const { rows } = await client.query<{ last: string | null }>(
      'SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations',
    );
    return Number(rows[0]?.last ?? 0);
  } catch (error) {
    const isEmpty = error instanceof DatabaseError && (error.code === '42P01' || error.code === '3F000');
    if (isEmpty) return 0;
    throw error;
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
  const { rows } = await client.query<{ corporateId: string; address: Address }>(
    `SELECT a.corporate_id AS "corporateId", w.address FROM corporate_accounts a CROSS JOIN LATERAL (
       SELECT a.wallet_address AS address
       UNION ALL SELECT r.address FROM relayer_wallets r WHERE r.corporate_account_id = a.id AND r.replaced_at IS NULL
     ) w WHERE a.status = 'ACTIVE' ORDER BY a.id`,
  );
  return rows;
}
