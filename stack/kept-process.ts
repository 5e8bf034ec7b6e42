import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processCommand } from './process-command.ts';
import { readFileIfAny } from './private-file.ts';
import { type KeeperRequest, type KeptCommand, keeperReportSchema } from './keeper-protocol.ts';

/** A process that cannot outlive the one that started it. */
export interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has ended, asked or unasked, with how: `exit code 1`, `signal SIGKILL`. */
  readonly exited: Promise<string>;
  /** The last lines that it wrote, for a message that says why it ended. */
  lastLines(): string;
  /** Ends it by its stop signals, then by force. Resolves when it is gone. */
  stop(): Promise<void>;
}

interface Watched {
  readonly command: KeptCommand;
  pid: number | undefined;
  started(pid: number): void;
  failed(message: string): void;
  line(text: string): void;
  exited(how: string): void;
}

const REMEMBERED_LINES = 30;

let keeper: ChildProcess | undefined;
let nextId = 0;
const watched = new Map<number, Watched>();

/** Ends a process whose keeper was killed. A keeper that ended by itself has left none. */
async function endOrphan({ pid, command }: Watched): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(pid, command.stopSignals[0]);
    for (let waited = 0; waited < command.graceMs && processCommand(pid) !== undefined; waited += 50) await delay(50);
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: no one is left.
  }
}

function startKeeper(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./keeper.ts', import.meta.url)), [], {
    // A session of its own: Ctrl-C in the terminal and a signal to our process group do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    serialization: 'json',
  });
  child.on('message', (message) => {
    const report = keeperReportSchema.parse(message);
    const process_ = watched.get(report.id);
    if (!process_) return;
    if (report.type === 'started') process_.started(report.pid);
    else if (report.type === 'line') process_.line(report.text);
    else {
      forget(report.id, child);
      if (report.type === 'failed') process_.failed(report.message);
      else process_.exited(report.signal === null ? `exit code ${report.code}` : `signal ${report.signal}`);
    }
  });
  child.once('exit', () => {
    if (keeper === child) keeper = undefined;
    const left = [...watched.values()];
    watched.clear();
    for (const process_ of left) {
      void endOrphan(process_).then(() => process_.exited('its keeper ended'));
    }
  });
  child.unref();
  return child;
}

/** As with any child process, a kept process that runs keeps us running, and the keeper alone does not. */
function watch(id: number, process_: Watched, by: ChildProcess): void {
  watched.set(id, process_);
  by.channel?.ref();
}

function forget(id: number, by: ChildProcess): void {
  watched.delete(id);
  if (watched.size === 0) by.channel?.unref();
}

function theKeeper(): ChildProcess {
  keeper ??= startKeeper();
  return keeper;
}

/** The process id of this process's keeper, which lives until the last kept process is gone, also when we are gone before. */
export function keeperPid(): number {
  const { pid } = theKeeper();
  if (pid === undefined) throw new Error('The keeper of the child processes could not be started');
  return pid;
}

/**
 * Has the keeper remove a file, where there is one, when we end, however that comes about.
 * @returns what removes it now, and leaves alone what another process may put there later.
 */
export function removeWithUs(file: string): () => void {
  const asked = theKeeper();
  const tell = (remove: boolean) => {
    if (asked.connected) asked.send({ type: 'remove-at-end', file, remove } satisfies KeeperRequest);
  };
  tell(true);
  return () => {
    rmSync(file, { force: true });
    tell(false);
  };
}

/** Ends every kept process, also those that are still starting. Resolves when all are gone. */
export async function stopAllKept(): Promise<void> {
  if (!keeper?.connected) return;
  keeper.ref();
  const gone = once(keeper, 'exit');
  keeper.disconnect();
  await gone;
}

/**
 * Starts a program that ends when we end, however that comes about: a keeper process of its own session starts it,
 * and ends it when its connection to us closes. It is the leader of a process group of its own, and the group ends with it.
 * @param onLine is called with each line that it writes to stdout or stderr, unless a log file is named.
 * @throws when the program cannot be started.
 */
export async function startKept(command: KeptCommand, onLine?: (line: string) => void): Promise<KeptProcess> {
  const asked = theKeeper();
  const id = nextId++;
  const send = (request: KeeperRequest) => {
    if (asked.connected) asked.send(request);
  };
  const lines: string[] = [];
  const exit = Promise.withResolvers<string>();
  const pid = await new Promise<number>((resolve, reject) => {
    const unstartable = (why: string) => reject(new Error(`${command.name} could not be started: ${why}`));
    const process_: Watched = {
      command,
      pid: undefined,
      started: (value) => {
        process_.pid = value;
        resolve(value);
      },
      failed: unstartable,
      line: (text) => {
        lines.push(text);
        if (lines.length > REMEMBERED_LINES) lines.shift();
        onLine?.(text);
      },
      exited: (how) => {
        unstartable(how);
        exit.resolve(how);
      },
    };
    watch(id, process_, asked);
    send({ type: 'start', id, command });
  });
  return {
    name: command.name,
    pid,
    exited: exit.promise,
    lastLines: () =>
      command.logFile === undefined
        ? lines.join('\n')
        : (readFileIfAny(command.logFile) ?? '').split('\n').slice(-REMEMBERED_LINES).join('\n').trimEnd(),
    stop: async () => {
      send({ type: 'stop', id });
      await exit.promise;
    },
  };
}
