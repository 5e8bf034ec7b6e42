import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));
/** An arbitrary advisory lock key, so that concurrent migrations run one after the other. */
const LOCK = 7_221_114_313;

/**
 * Applies the missing migrations to a database, over TCP and in one transaction.
 * @throws with the database's error message.
 */
export async function applyMigrations(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await migrate(drizzle(client), { migrationsFolder: FOLDER });
  } catch (error) {
    // The message is the whole statement; the cause says what is wrong with it.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`the migrations failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
}
