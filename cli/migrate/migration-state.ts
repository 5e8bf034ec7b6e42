import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles, type MigrationMeta } from 'drizzle-orm/migrator';
import { DatabaseError, type Client } from 'pg';
import { z } from 'zod';

const FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));
const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() })) });

interface Migration extends MigrationMeta {
  /** Of its file, without `.sql`. */
  readonly name: string;
}

/** Migrations of this version, compared with those that a database has, by the hash of their contents. */
export interface MigrationState {
  /** Those that have not been applied, in the order of the journal. */
  readonly pending: readonly Migration[];
  /** The names of those whose file has changed since they were applied. */
  readonly edited: readonly string[];
  /** Whether any have been applied that this version does not have. */
  readonly isAhead: boolean;
}

/**
 * @param folder As drizzle-kit writes it; by default the project's.
 * @throws if the role may not read which migrations have been applied.
 */
export async function migrationState(client: Client, folder = FOLDER): Promise<MigrationState> {
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')));
  // In the order of the journal, without the names that it has.
  const migrations = readMigrationFiles({ migrationsFolder: folder }).map((migration, index) => ({
    ...migration,
    name: journal.entries[index]?.tag ?? '',
  }));
  const applied = await appliedMigrations(client);
  const hashes = new Set(applied.map(({ hash }) => hash));
  const missing = migrations.filter(({ hash }) => !hashes.has(hash));
  const isEdited = ({ folderMillis }: Migration) => applied.some(({ when }) => when === folderMillis);
  return {
    pending: missing.filter((migration) => !isEdited(migration)),
    edited: missing.filter(isEdited).map(({ name }) => name),
    isAhead: applied.some((one) =>
      migrations.every(({ hash, folderMillis }) => one.hash !== hash && one.when !== folderMillis),
    ),
  };
}

/** @returns the hash of each applied migration, and when it was made, as in the journal. */
async function appliedMigrations(client: Client): Promise<{ hash: string; when: number }[]> {
  try {
    const { rows } = await client.query<{ hash: string; when: string }>(
      'SELECT hash, created_at AS when FROM drizzle.__drizzle_migrations',
    );
    return rows.map(({ hash, when }) => ({ hash, when: Number(when) }));
  } catch (error) {
    const isEmpty = error instanceof DatabaseError && (error.code === '42P01' || error.code === '3F000');
    if (isEmpty) return [];
    throw error;
  }
}
