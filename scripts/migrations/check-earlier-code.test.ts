import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Each test runs a simulation and flows. */
const LONG = { timeout: 900_000 };
const PROGRAM = resolve('scripts/migrations/check-earlier-code.ts');
/** A project of its own, at the last commit of this one, with one migration more. */
const project = mkdtempSync(join(tmpdir(), 'project-'));
const journalFile = join(project, 'migrations/meta/_journal.json');

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${resolve('.')}`, project]);
  symlinkSync(resolve('node_modules'), join(project, 'node_modules'));
  const journal = JSON.parse(readFileSync(journalFile, 'utf8')) as { entries: { when: number }[] };
  const when = 1 + Math.max(...journal.entries.map((entry) => entry.when));
  const madeUp = { idx: journal.entries.length, version: '7', when, tag: '9999_made_up', breakpoints: true };
  writeFileSync(journalFile, JSON.stringify({ ...journal, entries: [...journal.entries, madeUp] }));
});
afterAll(() => {
  rmSync(project, { recursive: true });
});

function check(migration: string) {
  writeFileSync(join(project, 'migrations/9999_made_up.sql'), migration);
  return spawnSync(process.execPath, [PROGRAM, '--seeds', '1'], { cwd: project, encoding: 'utf8' });
}

it('code before a migration that adds a column works on', LONG, () => {
  const { status, stdout } = check('ALTER TABLE "orders" ADD COLUMN "made_up" text;');
  expect(stdout).toMatch(/^The code of \w+ on the tables after 9999_made_up\.sql:\n.* 1 run, \d+ orders, 0 failed/ms);
  expect(stdout).toMatch(/Test Files .*3 passed/);
  expect(status).toBe(0);
});

it('code before a migration that takes away what orders use fails', LONG, () => {
  const { status, stdout } = check('-- contract: wrongly\nALTER TABLE "orders" DROP COLUMN "receiver_address";');
  expect(stdout).toContain('9999_made_up.sql');
  expect(status).toBe(1);
});

it.each([
  'ALTER TABLE "status_rules" DROP CONSTRAINT "status_rules_corporate_account_id_kind_pk";',
  'ALTER TABLE "audit_log" ADD CHECK ("is_change") NOT VALID;',
  'ALTER TABLE "tallies" DROP CONSTRAINT "tallies_name_subject_bound_pk";',
  'ALTER TABLE "assets" ADD CHECK ("size_bytes" < 10) NOT VALID;',
])('code before a migration that takes away or refuses what other operations do fails: %s', LONG, (sql) => {
  const { status, stdout } = check(`-- contract: wrongly\n${sql}`);
  expect(stdout).toMatch(/ 1 run, \d+ orders, 0 failed/);
  expect(status).toBe(1);
});
