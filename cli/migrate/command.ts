// npm run nft -- migrate: applies the missing migrations to the database at DATABASE_URL, and gives the role
// DATABASE_WORKER_ROLE its rights.
import { z } from 'zod';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { applyMigrations } from './apply-migrations.ts';
import { UsageError } from '../usage-error.ts';
import { grantWorkerRole } from './grant-worker-role.ts';

const USAGE = `npm run nft -- migrate

Applies the missing migrations to the database at DATABASE_URL, and grants the role DATABASE_WORKER_ROLE, if set, what the Worker needs.
DATABASE_URL must be the owner's, not pooled. It is safe to run again.
Exit codes: 0 the database is up to date, 1 failure.
Example:
  DATABASE_URL=postgres://owner:...@host/nft DATABASE_WORKER_ROLE=nft_worker npm run nft -- migrate`;

async function run(args: readonly string[]): Promise<void> {
  commandLine(USAGE, {}, { args });
  const url = z.url({ protocol: /^postgres(ql)?$/ }).safeParse(process.env['DATABASE_URL']);
  if (!url.success) {
    throw new UsageError(
      'DATABASE_URL must be the database to migrate, as postgres://user:password@host/database. Nothing was changed.',
    );
  }
  const database = databaseName(url.data);
  try {
    await applyMigrations(url.data);
    const role = process.env['DATABASE_WORKER_ROLE'];
    if (role !== undefined && role !== '') await grantWorkerRole(url.data, role);
    console.log(`${database} is up to date.`);
  } catch (error) {
    // Only the message: other fields may contain the connection string. A host with two addresses fails twice.
    const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
    console.error(`${database} could not be migrated: ${reason.replaceAll(url.data, '(DATABASE_URL)')}`);
    process.exitCode = 1;
  }
}

export const command: Command = { usage: USAGE, run };
