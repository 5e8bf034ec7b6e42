import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeOf } from './change-of.ts';

let directory: string;
let origin: string;
let clone: string;

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}

/** Adds a migration. @returns the commit. */
function commit(project: string, migration: string): string {
  writeFileSync(join(project, 'migrations', migration), '');
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '-m', migration);
  return git(project, 'rev-parse', 'HEAD');
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'change-'));
  [origin, clone] = [join(directory, 'origin'), join(directory, 'clone')];
  mkdirSync(join(origin, 'migrations'), { recursive: true });
  git(origin, 'init', '--quiet');
  commit(origin, '0000.sql');
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

it('the change of a branch is all migrations since it has left the main one', () => {
  git(directory, 'clone', '--quiet', origin, clone);
  const base = git(origin, 'rev-parse', 'HEAD');
  commit(origin, '0001_of_another.sql');
  commit(clone, '0001.sql');
  commit(clone, '0002.sql');
  git(clone, 'fetch', '--quiet');
  writeFileSync(join(clone, 'migrations', '0003.sql'), '');
  expect(changeOf(clone)).toEqual({ base, migrations: ['0001.sql', '0002.sql', '0003.sql'] });
});

it('the change of the main branch is its newest migration, or all since a commit that is given', () => {
  const first = git(origin, 'rev-parse', 'HEAD');
  const second = commit(origin, '0001.sql');
  commit(origin, '0002.sql');
  git(directory, 'clone', '--quiet', origin, clone);
  for (const project of [origin, clone]) {
    expect(changeOf(project)).toEqual({ base: second, migrations: ['0002.sql'] });
    expect(changeOf(project, first)).toEqual({ base: first, migrations: ['0001.sql', '0002.sql'] });
  }
});
