import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readFileIfExists } from '../../cli/local-stack/private-file.ts';
import { processCommand } from '../../cli/local-stack/process-command.ts';
import { type SupervisedCommand, supervisorEventSchema, type SupervisorRequest } from './supervisor-protocol.ts';

/** A process that cannot outlive the one that started it. */
export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it has exited for any reason, with how: `exit code 1`, `signal SIGKILL`. */
  readonly exited: Promise<string>;
  /** The last lines of its output, for error messages. */
  lastLines(): string;
  /** Stops it by its stop signals, then by SIGKILL. Resolves when it has exited. */
  stop(): Promise<void>;
}

/** The state of a process and its event handlers. */
interface Entry {
  readonly command: SupervisedCommand;
  pid: number | undefined;
  started(pid: number): void;
  failed(message: string): void;
  line(text: string): void;
  exited(how: string): void;
}

const REMEMBERED_LINES = 30;

let supervisor: ChildProcess | undefined;
let nextId = 0;
const entries = new Map<number, Entry>();

/** Stops a process whose supervisor was killed. A supervisor that exits by itself leaves none. */
async function stopOrphan({ pid, command }: Entry): Promise<void> {
  if (pid === undefined) return;
  try {
    process.kill(pid, command.stopSignals[0]);
    for (let waited = 0; waited < command.graceMs && processCommand(pid) !== undefined; waited += 50) await delay(50);
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: the group is empty.
  }
}

function forkSupervisor(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./supervisor.ts', import.meta.url)), [], {
    // In a session of its own, Ctrl-C in the terminal and signals to our process group do not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    serialization: 'json',
  });
  child.on('message', (message) => {
    const event = supervisorEventSchema.parse(message);
    const entry = entries.get(event.id);
    if (!entry) return;
    if (event.type === 'started') entry.started(event.pid);
    else if (event.type === 'line') entry.line(event.text);
    else {
      removeEntry(event.id, child);
      if (event.type === 'failed') entry.failed(event.message);
      else entry.exited(event.signal === null ? `exit code ${event.code}` : `signal ${event.signal}`);
    }
  });
  child.once('exit', () => {
    if (supervisor === child) supervisor = undefined;
    const orphans = [...entries.values()];
    entries.clear();
    for (const entry of orphans) {
      void stopOrphan(entry).then(() => entry.exited('its supervisor exited'));
    }
  });
  child.unref();
  return child;
}

/** As with any child process, a supervised process keeps this process running; the supervisor alone does not. */
function addEntry(id: number, entry: Entry, by: ChildProcess): void {
  entries.set(id, entry);
  by.channel?.ref();
}

function removeEntry(id: number, by: ChildProcess): void {
  entries.delete(id);
  if (entries.size === 0) by.channel?.unref();
}

function ensureSupervisor(): ChildProcess {
  supervisor ??= forkSupervisor();
  return supervisor;
}

/**
 * The process id of this process's supervisor, which runs until the last supervised process has exited, even if this
 * process has not.
 */
export function supervisorPid(): number {
  const { pid } = ensureSupervisor();
  if (pid === undefined) throw new Error('The process supervisor could not be started');
  return pid;
}

/**
 * Has the supervisor delete a file when this process ends for any reason. The file need not exist.
 * @returns a function that deletes it now; what another process writes there later is left alone.
 */
export function removeOnExit(file: string): () => void {
  const current = ensureSupervisor();
  const request = (remove: boolean) => {
    if (current.connected) current.send({ type: 'remove-on-exit', file, remove } satisfies SupervisorRequest);
  };
  request(true);
  return () => {
    rmSync(file, { force: true });
    request(false);
  };
}

/** Stops every supervised process, including those that are still starting. Resolves when all have exited. */
export async function stopAllSupervised(): Promise<void> {
  if (!supervisor?.connected) return;
  supervisor.ref();
  const exited = once(supervisor, 'exit');
  supervisor.disconnect();
  await exited;
}

/**
 * Starts a program that is stopped when this process ends for any reason: the supervisor starts it, and stops it when
 * its IPC channel closes. The program leads a process group of its own, and the whole group ends with it.
 * @param onLine Called with each line of stdout and stderr, unless there is a log file.
 * @throws when the program cannot be started.
 */
export async function startSupervised(
  command: SupervisedCommand,
  onLine?: (line: string) => void,
): Promise<SupervisedProcess> {
  const current = ensureSupervisor();
  const id = nextId++;
  const send = (request: SupervisorRequest) => {
    if (current.connected) current.send(request);
  };
  const lines: string[] = [];
  const exit = Promise.withResolvers<string>();
  const pid = await new Promise<number>((resolve, reject) => {
    const failed = (why: string) => reject(new Error(`${command.name} could not be started: ${why}`));
    const entry: Entry = {
      command,
      pid: undefined,
      started: (value) => {
        entry.pid = value;
        resolve(value);
      },
      failed,
      line: (text) => {
        lines.push(text);
        if (lines.length > REMEMBERED_LINES) lines.shift();
        onLine?.(text);
      },
      exited: (how) => {
        failed(how);
        exit.resolve(how);
      },
    };
    addEntry(id, entry, current);
    send({ type: 'start', id, command });
  });
  return {
    name: command.name,
    pid,
    exited: exit.promise,
    lastLines: () =>
      command.logFile === undefined
        ? lines.join('\n')
        : (readFileIfExists(command.logFile) ?? '').split('\n').slice(-REMEMBERED_LINES).join('\n').trimEnd(),
    stop: async () => {
      send({ type: 'stop', id });
      await exit.promise;
    },
  };
}
