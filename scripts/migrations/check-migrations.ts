// npm run migrations:check: fails if the migrations do not match src/platform/database/schema.ts, are not in
// order, or could not be applied under load.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { journalIssues } from './journal-issues.ts';
import { migrationIssues } from './migration-issues.ts';

const files = readdirSync('migrations')
  .filter((file) => file.endsWith('.sql'))
  .toSorted();
const migrations = files.map((file) => readFileSync(join('migrations', file), 'utf8'));

function report(file: string, issues: readonly string[]): void {
  for (const issue of issues) console.error(`migrations/${file}: ${issue}`);
  if (issues.length > 0) process.exitCode = 1;
}

report('meta/_journal.json', journalIssues(readFileSync('migrations/meta/_journal.json', 'utf8'), files));
// The first creates everything.
for (const [index, sql] of migrations.entries()) {
  if (index > 0) report(files[index] ?? '', await migrationIssues(sql, migrations.slice(0, index)));
}

const directory = mkdtempSync(join(tmpdir(), 'migrations-'));
try {
  cpSync('migrations', directory, { recursive: true });
  const before = readdirSync(directory).length;
  // drizzle-kit accepts only a path relative to the project.
  execFileSync(
    process.execPath,
    [
      'node_modules/drizzle-kit/bin.cjs',
      'generate',
      '--dialect=postgresql',
      '--schema=./src/platform/database/schema.ts',
      `--out=${relative('.', directory)}`,
    ],
    { stdio: 'pipe' },
  );
  if (readdirSync(directory).length !== before) {
    console.error('The tables have changed but the migrations have not. Run npm run db:generate.');
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
