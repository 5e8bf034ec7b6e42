import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandLine } from '../command-line.ts';

const USAGE = `npm run migrations:compatible [-- --seeds N]

Runs the code before the newest migration on the tables after it, in the simulation.
  --seeds  how many seeds (default 10)
Example:
  npm run migrations:compatible -- --seeds 50`;

const { seeds } = commandLine(USAGE, { seeds: { type: 'string', default: '10' } }).values;

const files = readdirSync('migrations').filter((file) => file.endsWith('.sql'));
const newest = files.toSorted().at(-1);
if (newest === undefined || files.length === 1) {
  console.log('The first migration has no code before it.');
} else {
  checkCodeBefore(newest);
}

function checkCodeBefore(migration: string): void {
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', `migrations/${migration}`);
  // Not committed yet: the code before it is the last commit's.
  const before = added === '' ? 'HEAD' : `${added}^`;
  const tree = mkdtempSync(join(tmpdir(), 'earlier-code-'));
  try {
    git('worktree', 'add', '--detach', tree, before);
    rmSync(join(tree, 'migrations'), { recursive: true });
    cpSync('migrations', join(tree, 'migrations'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
    console.log(`The code before ${migration} (${git('rev-parse', '--short', before)}) on the tables after it:`);
    const args = ['test/simulation/run.ts', '--seed', '1', '--seeds', seeds, '--jobs', '2'];
    execFileSync(process.execPath, args, { cwd: tree, stdio: 'inherit' });
  } finally {
    git('worktree', 'remove', '--force', tree);
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
