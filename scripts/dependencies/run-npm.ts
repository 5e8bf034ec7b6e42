import { spawnSync } from 'node:child_process';

/** Runs npm in the current directory. @returns what it wrote to stdout, whatever its exit code. */
export function runNpm(args: readonly string[]): string {
  const { stdout, error } = spawnSync('npm', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  return stdout;
}
