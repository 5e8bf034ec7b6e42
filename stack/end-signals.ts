import { readFileSync } from 'node:fs';
import { processCommand } from './process-command.ts';

const POLL_MS = 500;
const IMPATIENCE_MS = 2_000;

function parentOf(pid: number): number | undefined {
  try {
    // pid (command) state parent ...; the command may hold spaces and brackets.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** The npm that runs us as a script, where there is one and the system shows it. There may be a shell in between. */
function npmAboveUs(): { pid: number; command: string } | undefined {
  if (process.env['npm_lifecycle_event'] === undefined) return undefined;
  let pid: number | undefined = process.ppid;
  for (let steps = 0; steps < 3 && pid !== undefined && pid > 1; steps++) {
    const command = processCommand(pid);
    if (command?.startsWith('npm ')) return { pid, command };
    pid = parentOf(pid);
  }
  return undefined;
}

/**
 * Calls back once when we are asked to end: by SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal was closed), or because the npm that runs us was
 * killed, which leaves its scripts running. Whoever signals again two seconds later is impatient: that ends us at once.
 */
export function onEndSignal(callback: () => void): void {
  let askedAt: number | undefined;
  const ask = () => {
    // Not any sooner: Ctrl-C arrives twice, from the terminal and from npm.
    if (askedAt !== undefined && Date.now() - askedAt > IMPATIENCE_MS) process.exit(1);
    if (askedAt !== undefined) return;
    askedAt = Date.now();
    callback();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);

  const npm = npmAboveUs();
  if (!npm) return;
  const timer = setInterval(() => {
    if (processCommand(npm.pid) === npm.command) return;
    clearInterval(timer);
    if (askedAt === undefined) ask();
  }, POLL_MS);
  timer.unref();
}
