import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A property of a process, or an empty string if it has exited. */
function ifAlive(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** The command lines of the processes that contain the directory or run in it, without zombies. */
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
      // The command lines of PostgreSQL's processes do not contain the directory, but they run in it.
      cwd: ifAlive(() => readlinkSync(`/proc/${pid}/cwd`)),
    }))
    .filter(({ command, cwd }) => command !== '' && (command.includes(directory) || cwd.startsWith(directory)))
    .map(({ command }) => command);
}
