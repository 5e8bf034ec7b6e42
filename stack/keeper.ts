// The process that owns every child of the local stack. It is started by kept-process.ts, in a session of its own, and joined to
// the process that asked for it by an IPC channel and nothing else. It starts the children itself, so there is no moment at
// which a child runs that it does not know of. When the channel closes, for whatever reason (SIGKILL included), it ends
// the children and then itself, and removes the files that said that they run.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type KeeperReport, type KeptCommand, keeperRequestSchema } from './keeper-protocol.ts';

interface Kept {
  readonly child: ChildProcess;
  readonly command: KeptCommand;
  readonly exited: Promise<void>;
}

const kept = new Map<number, Kept>();
const filesToRemove = new Set<string>();
let ending = false;

function report(message: KeeperReport): void {
  // The asker may be gone; then there is no one to tell.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // ESRCH: no one is left in the group.
  }
}

function start(id: number, command: KeptCommand): void {
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
    if (stream) createInterface({ input: stream }).on('line', (text) => report({ type: 'line', id, text }));
  }
  const { pid } = child;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      if (pid !== undefined) return;
      kept.delete(id);
      report({ type: 'failed', id, message: error.message });
      resolve();
    });
    child.once('exit', () => {
      // A leader that crashed may have left children behind.
      if (pid !== undefined) killGroup(pid);
      kept.delete(id);
      resolve();
    });
    // 'close' comes after the last line of output.
    child.once('close', (code, signal) => {
      if (pid !== undefined) report({ type: 'exited', id, code, signal });
    });
  });
  if (pid === undefined) return;
  kept.set(id, { child, command, exited });
  report({ type: 'started', id, pid });
}

async function stop({ child, command, exited }: Kept): Promise<void> {
  for (const signal of command.stopSignals) {
    child.kill(signal);
    const patience = new AbortController();
    const over = delay(command.graceMs, 'grace over' as const, { signal: patience.signal }).catch(
      () => 'ended' as const,
    );
    const result = await Promise.race([exited.then(() => 'ended' as const), over]);
    patience.abort();
    if (result === 'ended') return;
  }
  if (child.pid !== undefined) killGroup(child.pid);
  await exited;
}

async function end(): Promise<void> {
  ending = true;
  for (const file of filesToRemove) rmSync(file, { force: true });
  await Promise.all([...kept.values()].map(stop));
  process.exit(0);
}

process.on('message', (message) => {
  if (ending) return;
  const request = keeperRequestSchema.parse(message);
  if (request.type === 'start') {
    start(request.id, request.command);
  } else if (request.type === 'remove-at-end') {
    if (request.remove) filesToRemove.add(request.file);
    else filesToRemove.delete(request.file);
  } else {
    const process_ = kept.get(request.id);
    if (process_) void stop(process_);
  }
});
process.on('disconnect', () => void end());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end());
