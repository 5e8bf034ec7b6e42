import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The command line of a process; undefined if there is no such process. Process ids are reused, so an id that was read
 * from a file must be checked against it.
 */
export function processCommand(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // Empty for a zombie.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
