import { Client } from 'pg';

/**
 * Gives a role what the Worker needs of the tables in the schema public, and no more: every row of every table may be
 * read and written, but the audit log only read and added to, and the epoch only read. Of the schema drizzle, it may read which migrations have been applied.
 * @param role An existing role that does not own the tables.
 * @throws when the role may change the audit log all the same: it owns the table, is a superuser or inherits the right.
 *   Nothing has then been changed.
 */
export async function grantWorkerRole(databaseUrl: string, role: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  const name = client.escapeIdentifier(role);
  try {
    await client.query(`BEGIN;
      GRANT USAGE ON SCHEMA public TO ${name};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name};
      GRANT USAGE ON SCHEMA drizzle TO ${name};
      GRANT SELECT ON drizzle.__drizzle_migrations TO ${name};
      REVOKE ALL ON audit_log, fence FROM ${name};
      GRANT SELECT, INSERT ON audit_log TO ${name};
      GRANT SELECT ON fence TO ${name}`);
    const { rows } = await client.query<{ mayChange: boolean }>(
      `SELECT has_table_privilege($1, 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER') OR has_any_column_privilege($1, 'audit_log', 'UPDATE')
         OR pg_has_role($1, (SELECT relowner FROM pg_class WHERE oid = 'audit_log'::regclass), 'MEMBER') AS "mayChange"`,
      [role],
    );
    if (rows[0]?.mayChange !== false) {
      throw new Error(`The role ${role} can change audit_log: it must neither own the tables nor be a superuser`);
    }
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}
