// npm run db:migrate: brings the database that DATABASE_URL names up to date with migrations/.
import { z } from 'zod';
import { databaseName } from './database-name.ts';
import { applyMigrations } from '../stack/migrations.ts';

const url = z.url({ protocol: /^postgres(ql)?$/ }).safeParse(process.env['DATABASE_URL']);
if (!url.success) {
  console.error(
    'DATABASE_URL must be set to the database to migrate, as postgres://user:password@host/database. Nothing was changed.',
  );
  process.exit(1);
}
const database = databaseName(url.data);
try {
  await applyMigrations(url.data);
  console.log(`${database} is up to date.`);
} catch (error) {
  // Of an error its message only: other fields may hold the connection string. A host with two addresses fails twice.
  const reason = error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error);
  console.error(`${database} could not be migrated: ${reason.replaceAll(url.data, '(DATABASE_URL)')}`);
  process.exitCode = 1;
}
