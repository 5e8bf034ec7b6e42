import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/**
 * Gives the database a new epoch, so that no driver that runs now, whatever its code and its settings, commits anything
 * more once this has resolved: its Durable Object ends, and the next one has the newest deployment's code and settings.
 * Bytes that were stored before may be sent until the driver's run ends, at most half a minute.
 * @param role A role that first loses all its rights on the tables, as for a database that is about to be replaced;
 *   undefined: none.
 */
export async function raiseFence(databaseUrl: string, role?: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    if (role !== undefined) {
      await client.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${client.escapeIdentifier(role)}`);
      const { rows } = await client.query<{ mayWrite: boolean }>(
        `SELECT has_table_privilege($1, 'attempts', 'INSERT') AS "mayWrite"`,
        [role],
      );
      if (rows[0]?.mayWrite !== false) {
        throw new Error(`The role ${role} can still write: it must neither own the tables nor be a superuser`);
      }
    }
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    // Waits for the transactions of drivers that run now: none commits after this one.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('fence'))`);
    await client.query(
      `INSERT INTO fence (epoch, raised_at) VALUES ($1, now())
       ON CONFLICT (is_only) DO UPDATE SET epoch = excluded.epoch, raised_at = excluded.raised_at`,
      [randomUUID()],
    );
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
