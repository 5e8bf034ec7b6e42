import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The command line of a process, or undefined when there is no such process. Process ids are used again: whoever finds one in
 * a file asks here whether it is still the process that he means.
 */
export function processCommand(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // A zombie's is empty.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined;
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
