import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { applyMigrations } from '../../cli/migrate/apply-migrations.ts';
import { startPostgres } from '../../stack/postgres/postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database that nobody is connected to: `newDatabase` makes copies of it. */
    emptyDatabaseUrl: string;
  }
}

/** Starts one PostgreSQL server for all files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'nft-engine-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  let stop = remove;
  try {
    const postgres = await startPostgres({ directory, password: 'engine', connections: 400 });
    stop = () => postgres.stop().finally(remove);
    await applyMigrations(postgres.url);
    project.provide('emptyDatabaseUrl', postgres.url);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
