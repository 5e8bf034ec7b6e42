import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { commandLine } from '../../cli/command-line.ts';
import { changeOf, type Change } from './change-of.ts';

const USAGE = `npm run migrations:compatible [-- --base COMMIT] [--seeds N]

Runs the code before a change on the tables after its migrations: in the simulation, and with a request to every operation of the API.
  --base   the commit before the change (default: where the branch has left the main branch of origin; on that one, the commit before the newest migration)
  --seeds  how many seeds of the simulation (default 10)
Example:
  npm run migrations:compatible -- --base v1.4.0 --seeds 50`;

const { values } = commandLine(USAGE, { base: { type: 'string' }, seeds: { type: 'string', default: '10' } });

/** A request to every operation, and what is stored beside the replies. */
const FLOWS = ['api-examples', 'audit', 'metrics'].map((name) => `test/flows/${name}.test.ts`);

if (readdirSync('migrations').filter((file) => file.endsWith('.sql')).length === 1) {
  console.log('The first migration has no code before it.');
} else {
  checkCodeBefore(changeOf('.', values.base));
}

function checkCodeBefore({ base, migrations }: Change): void {
  if (migrations.length === 0) {
    console.log(`There is no migration after ${base}.`);
    return;
  }
  const tree = mkdtempSync(join(tmpdir(), 'earlier-code-'));
  const run = (...args: readonly string[]) => execFileSync(process.execPath, args, { cwd: tree, stdio: 'inherit' });
  try {
    git('worktree', 'add', '--detach', tree, base);
    rmSync(join(tree, 'migrations'), { recursive: true });
    cpSync('migrations', join(tree, 'migrations'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
    console.log(`The code of ${base} on the tables after ${migrations.join(', ')}:`);
    run('test/simulation/run.ts', '--seed', '1', '--seeds', values.seeds, '--jobs', '2');
    // Not its setup, which installs dependencies.
    run('--input-type=module', '--eval', `await (await import('./scripts/build-pages.mjs')).buildPages()`);
    run('node_modules/vitest/vitest.mjs', 'run', '--mode', 'nightly', '--project', 'flows', ...FLOWS);
  } finally {
    git('worktree', 'remove', '--force', tree);
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
