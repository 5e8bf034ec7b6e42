import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));
/** Any number that no one else uses: two that migrate at once take turns. */
const LOCK = 7_221_114_313;

/**
 * Brings a database up to date with migrations/, over TCP: what is missing is applied in one transaction, what is there is left alone.
 * @throws saying in a sentence what the database refused.
 */
export async function applyMigrations(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await migrate(drizzle(client), { migrationsFolder: FOLDER });
  } catch (error) {
    // The error itself is the whole statement; what is wrong with it is its cause.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Error(`the migrations do not apply: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause: error,
    });
  } finally {
    await client.end();
  }
}
