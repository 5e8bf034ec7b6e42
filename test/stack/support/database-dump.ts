import { Client } from 'pg';
import { applyMigrations } from '../../../cli/migrate/apply-migrations.ts';

/** The rows of each table, as PostgreSQL's own JSON text. */
export type DatabaseDump = ReadonlyMap<string, string>;

/** Reads all tables at one point in time, while the database is in use. */
export async function dumpDatabase(databaseUrl: string): Promise<DatabaseDump> {
  return within(databaseUrl, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const dump = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await client.query<{ rows: string }>(
        `SELECT coalesce(json_agg(t), '[]')::text AS rows FROM ${client.escapeIdentifier(name)} t`,
      );
      dump.set(name, rows[0]?.rows ?? '[]');
    }
    return dump;
  });
}

/** Creates a database beside another one and fills it with a dump. @returns its connection string. */
export async function restoreDatabase(serverUrl: string, name: string, dump: DatabaseDump): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await within(serverUrl, (client) => client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`));
  await applyMigrations(url.href);
  await within(url.href, async (client) => {
    // Rows refer to each other across tables; triggers and foreign keys are for changes.
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    for (const [table, rows] of dump) {
      const target = client.escapeIdentifier(table);
      await client.query(`DELETE FROM ${target}`);
      const { rows: stored } = await client.query<{ columns: string }>(
        `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
        [target],
      );
      const columns = stored[0]?.columns ?? '';
      await client.query(
        `INSERT INTO ${target} (${columns}) SELECT ${columns} FROM json_populate_recordset(null::${target}, $1)`,
        [rows],
      );
    }
    await client.query('COMMIT');
  });
  return url.href;
}

async function within<Result>(databaseUrl: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
