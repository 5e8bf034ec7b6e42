import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

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

it('code before a migration that adds a column works on', () => {
  const { status, stdout } = check('ALTER TABLE "minting_orders" ADD COLUMN "made_up" text;');
  expect(stdout).toMatch(/^The code before 9999_made_up\.sql .* 1 run, \d+ orders, 0 failed/ms);
  expect(status).toBe(0);
});

it('code before a migration that takes away what it uses fails', () => {
  const { status, stdout } = check(
    '-- contract: wrongly\nALTER TABLE "minting_orders" DROP COLUMN "receiver_address";',
  );
  expect(stdout).toContain('The code before 9999_made_up.sql');
  expect(status).toBe(1);
});
