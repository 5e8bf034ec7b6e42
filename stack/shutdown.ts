import { readFileSync } from 'node:fs';
import { processCommand } from '../cli/local-stack/process-command.ts';
import { stopAllSupervised } from './processes/supervised-process.ts';

const POLL_MS = 500;
/**
 * Ctrl-C arrives twice, from the terminal and from npm. A signal that follows the first one later than this was sent by
 * the user.
 */
const REPEAT_MS = 2_000;

function parentOf(pid: number): number | undefined {
  try {
    // pid (command) state parent ...; the command may contain spaces and brackets.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** The npm process that runs this script, if there is one and the system shows it. A shell may stand between them. */
function npmAncestor(): { pid: number; command: string } | undefined {
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
 * Calls back once when this process should shut down: on SIGINT (Ctrl-C), SIGTERM or SIGHUP (the terminal was closed),
 * or when the npm process that runs it was killed, which would leave the script running. A second signal, at least two
 * seconds later, exits at once.
 */
export function onShutdownSignal(callback: () => void): void {
  let requestedAt: number | undefined;
  const request = () => {
    if (requestedAt !== undefined && Date.now() - requestedAt > REPEAT_MS) process.exit(1);
    if (requestedAt !== undefined) return;
    requestedAt = Date.now();
    callback();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, request);

  const npm = npmAncestor();
  if (!npm) return;
  const timer = setInterval(() => {
    if (processCommand(npm.pid) === npm.command) return;
    clearInterval(timer);
    if (requestedAt === undefined) request();
  }, POLL_MS);
  timer.unref();
}

/** Ends every process of the stack, including those that are still starting. Resolves when all of them are gone. */
export function stopAllProcesses(): Promise<void> {
  return stopAllSupervised();
}
