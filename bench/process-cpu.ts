import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of a tick, in which Linux counts CPU time. */
const TICK_MS = 10;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly ticks: number;
}

/**
 * The CPU time so far, in milliseconds, of this process's descendants with a name, such as `postgres`, and of what they
 * have waited for. Linux only: 0 elsewhere.
 */
export function cpuOf(name: string): number {
  const processes = process.platform === 'linux' ? readdirSync('/proc').flatMap(readProcess) : [];
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const isOwn = ({ parent }: Process): boolean => {
    if (parent === process.pid) return true;
    const above = byPid.get(parent);
    return above !== undefined && isOwn(above);
  };
  return processes
    .filter((one) => one.name === name && isOwn(one))
    .reduce((sum, { ticks }) => sum + ticks * TICK_MS, 0);
}

/** @returns none if it has ended. */
function readProcess(pid: string): Process[] {
  if (!/^\d+$/.test(pid)) return [];
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return [];
  }
  // proc_pid_stat(5): the name is in parentheses; ticks are fields 14 to 17: user, system, and both of children that
  // have ended.
  const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(text) ?? [];
  const fields = rest.split(' ').map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
  return [{ pid: Number(pid), parent: fields[1] ?? 0, name, ticks }];
}
