import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Something of a process, or nothing when it has ended by now. */
function ifAlive(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** The command lines of the processes that name the directory or work in it; one that has ended and awaits its parent's notice is none. */
export function processesUsing(directory: string): string[] {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
      .split('\n')
      .filter((args) => args.includes(directory));
  }
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => ({
      command: ifAlive(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' '),
      // The processes of PostgreSQL do not say their directory; they work in it.
      cwd: ifAlive(() => readlinkSync(`/proc/${pid}/cwd`)),
    }))
    .filter(({ command, cwd }) => command !== '' && (command.includes(directory) || cwd.startsWith(directory)))
    .map(({ command }) => command);
}
