// The parent of every process of the local stack. supervised-process.ts forks it into a session of its own; an IPC
// channel is its only link to the client. It spawns the processes itself, so it knows each of them from the first
// moment. When the channel closes for any reason, including SIGKILL of the client, it stops them, deletes the files
// that said that the stack runs, and exits.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type SupervisedCommand, type SupervisorEvent, supervisorRequestSchema } from './supervisor-protocol.ts';

interface Running {
  readonly child: ChildProcess;
  readonly command: SupervisedCommand;
  readonly exited: Promise<void>;
}

const REPLY_MS = 1_000;
const SETTLE_MS = 200;

const running = new Map<number, Running>();
const filesToRemove = new Set<string>();
let shuttingDown = false;

function emit(event: SupervisorEvent): void {
  if (process.connected) process.send?.(event, undefined, undefined, () => {});
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // ESRCH: the group is empty.
  }
}

function start(id: number, command: SupervisedCommand): void {
  const log = command.logFile === undefined ? 'pipe' : openSync(command.logFile, 'a', 0o600);
  const child = spawn(command.command, command.args, {
    detached: true,
    stdio: ['ignore', log, log],
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: command.env }),
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
  });
  if (typeof log === 'number') closeSync(log);
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (text) => emit({ type: 'line', id, text }));
  }
  const { pid } = child;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      if (pid !== undefined) return;
      running.delete(id);
      emit({ type: 'failed', id, message: error.message });
      resolve();
    });
    child.once('exit', () => {
      // A leader that crashed may leave children behind.
      if (pid !== undefined) killGroup(pid);
      running.delete(id);
      resolve();
    });
    // 'close' comes after the last line of output.
    child.once('close', (code, signal) => {
      if (pid !== undefined) emit({ type: 'exited', id, code, signal });
    });
  });
  if (pid === undefined) return;
  running.set(id, { child, command, exited });
  emit({ type: 'started', id, pid });
}

/** Posts what is to be known before the end, and leaves time for what is still being done. */
async function announceStop({ beforeStop = [] }: SupervisedCommand): Promise<void> {
  for (const { url, body } of beforeStop) {
    const signal = AbortSignal.timeout(REPLY_MS);
    const headers = { 'content-type': 'application/json' };
    // A process that does not respond is stopped all the same.
    await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
  }
  if (beforeStop.length > 0) await delay(SETTLE_MS);
}

async function stop({ child, command, exited }: Running): Promise<void> {
  await announceStop(command);
  for (const signal of command.stopSignals) {
    child.kill(signal);
    const timer = new AbortController();
    const timeout = delay(command.graceMs, 'timeout' as const, { signal: timer.signal }).catch(() => 'exited' as const);
    const result = await Promise.race([exited.then(() => 'exited' as const), timeout]);
    timer.abort();
    if (result === 'exited') return;
  }
  if (child.pid !== undefined) killGroup(child.pid);
  await exited;
}

async function shutDown(): Promise<void> {
  shuttingDown = true;
  for (const file of filesToRemove) rmSync(file, { force: true });
  await Promise.all([...running.values()].map(stop));
  process.exit(0);
}

process.on('message', (message) => {
  if (shuttingDown) return;
  const request = supervisorRequestSchema.parse(message);
  if (request.type === 'start') {
    start(request.id, request.command);
  } else if (request.type === 'remove-on-exit') {
    if (request.remove) filesToRemove.add(request.file);
    else filesToRemove.delete(request.file);
  } else {
    const process_ = running.get(request.id);
    if (process_) void stop(process_);
  }
});
process.on('disconnect', () => void shutDown());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void shutDown());
