import type { MigrationMeta } from 'drizzle-orm/migrator';
import { Client } from 'pg';
import { migrationState } from './migration-state.ts';

/** An arbitrary advisory lock key, so that concurrent migrations run one after the other. */
const LOCK = 7_221_114_313;
/** How long a statement waits for a table: every query of the service that comes after it waits behind it. */
const LOCK_TIMEOUT = '3s';

/** Where drizzle-kit looks for what has been applied. */
const APPLIED = 'drizzle.__drizzle_migrations';
const CREATE_APPLIED = `
  CREATE SCHEMA IF NOT EXISTS drizzle;
  CREATE TABLE IF NOT EXISTS ${APPLIED} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`;

const FRESH = 'In development, npm run dev -- --fresh discards the database.';
const RESTORE = `never edit an applied migration; restore it and write another. ${FRESH}`;
const CHECK_OUT = `check out the version that has them. ${FRESH}`;

/**
 * Applies the missing migrations to a database, over TCP, each in a transaction of its own; one that builds or drops an
 * index concurrently has none, which drizzle's migrator cannot do. The service goes on meanwhile.
 * @param folder As drizzle-kit writes it; by default the project's.
 * @throws with the database's error message, and the migrations before the one that failed stay applied; before any is,
 *   if the database has others than the folder.
 */
export async function applyMigrations(databaseUrl: string, folder?: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(CREATE_APPLIED);
    const { pending, edited, isAhead } = await migrationState(client, folder);
    if (edited.length > 0) throw new Error(`${edited.join(', ')} changed after being applied: ${RESTORE}`);
    if (isAhead) throw new Error(`some applied ones are unknown to this version: ${CHECK_OUT}`);
    for (const migration of pending) await apply(client, migration);
  } catch (error) {
    throw new Error(`the migrations failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
}

async function apply(client: Client, { sql: statements, hash, folderMillis }: MigrationMeta): Promise<void> {
  const isTransaction = !statements.some((statement) => /\bINDEX CONCURRENTLY\b/i.test(statement));
  // Building an index concurrently waits for earlier transactions, and nothing waits behind it.
  if (isTransaction)
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  for (const statement of statements) await client.query(statement);
  await client.query(`INSERT INTO ${APPLIED} (hash, created_at) VALUES ($1, $2)`, [hash, folderMillis]);
  if (isTransaction) await client.query('COMMIT');
}
