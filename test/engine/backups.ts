import type { Pool } from 'pg';

/** Copies the rows of tables aside. */
export async function backUpTables(pool: Pool, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await pool.query(`drop table if exists backup_${table}; create table backup_${table} as select * from ${table}`);
  }
}

/** Sets tables back where they are, so that drivers do not notice by the epoch. */
export async function restoreTables(pool: Pool, tables: readonly string[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin; set local session_replication_role = replica');
    for (const table of tables.toReversed()) await client.query(`delete from ${table}`);
    for (const table of tables) {
      const { rows } = await client.query<{ columns: string }>(
        `select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
         where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
        [table],
      );
      const columns = rows[0]?.columns ?? '';
      await client.query(`insert into ${table} (${columns}) select ${columns} from backup_${table}`);
    }
    await client.query('commit');
  } finally {
    client.release(true);
  }
}
