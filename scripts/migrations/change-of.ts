import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The migrations of a change, and the code that still runs when they have been applied. */
export interface Change {
  /** The commit that the change is compared with. */
  readonly base: string;
  /** The files that the base does not have, oldest first, also those that are not committed. */
  readonly migrations: readonly string[];
}

/**
 * @param project The directory of a repository.
 * @param base By default, where the branch has left the default branch of `origin`; on that branch itself, or without
 *   `origin`, the commit before the newest migration.
 */
export function changeOf(project: string, base?: string): Change {
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
  const files = readdirSync(join(project, 'migrations'))
    .filter((file) => file.endsWith('.sql'))
    .toSorted();
  const compared = git('rev-parse', base ?? defaultBase(git, files.at(-1) ?? ''));
  const known = new Set(git('ls-tree', '--name-only', compared, 'migrations/').split('\n'));
  return { base: compared, migrations: files.filter((file) => !known.has(`migrations/${file}`)) };
}

function defaultBase(git: (...args: readonly string[]) => string, newest: string): string {
  const main = git('for-each-ref', '--format=%(objectname)', 'refs/remotes/origin/HEAD');
  const left = main === '' ? '' : git('merge-base', 'HEAD', main);
  if (left !== '' && left !== git('rev-parse', 'HEAD')) return left;
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', `migrations/${newest}`);
  return added === '' ? 'HEAD' : `${added}^`;
}
