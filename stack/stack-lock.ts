import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { supervisorPid } from './processes/supervised-process.ts';
import { readFileIfExists } from '../cli/local-stack/private-file.ts';
import { processCommand } from '../cli/local-stack/process-command.ts';

/** Another stack is using the data directory. */
class StackRunningError extends Error {
  override readonly name = 'StackRunningError';
}

const processSchema = z.object({ pid: z.number(), command: z.string() });
const holderSchema = z.object({ main: processSchema, supervisor: processSchema });
type Holder = z.output<typeof holderSchema>;

const SHUTDOWN_MS = 60_000;

const identify = (pid: number) => ({ pid, command: processCommand(pid) ?? '' });

/** Compares the command too: after a crash another program may have the process id. */
const isAlive = ({ pid, command }: Holder['main']) => processCommand(pid) === command;

function createExclusively(path: string, content: string): boolean {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content, { mode: 0o600 });
  try {
    // A hard link, so that the file appears complete or not at all.
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes a stale lock, unless another process has taken it over in the meantime. */
function removeStale(path: string, content: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    // Another process was faster.
    return;
  }
  if (readFileIfExists(aside) === content) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/**
 * Locks a data directory, so that one stack at a time uses it. The lock of a stack that was killed is taken over as
 * soon as its last process has exited.
 * @returns a function that releases the lock.
 * @throws {StackRunningError} when a stack is running there.
 */
export async function lockStack(dataDir: string): Promise<() => void> {
  const path = join(dataDir, 'lock');
  const own = JSON.stringify({ main: identify(process.pid), supervisor: identify(supervisorPid()) } satisfies Holder);
  for (const deadline = Date.now() + SHUTDOWN_MS; ;) {
    if (createExclusively(path, own)) {
      return () => {
        if (readFileIfExists(path) === own) rmSync(path, { force: true });
      };
    }
    const content = readFileIfExists(path);
    if (content === undefined) continue;
    const { main, supervisor } = holderSchema.parse(JSON.parse(content));
    if (isAlive(main)) {
      throw new StackRunningError(`A local stack already runs on ${dataDir} (process ${main.pid}). Stop it first.`);
    }
    if (!isAlive(supervisor)) removeStale(path, content);
    else if (Date.now() > deadline) {
      throw new StackRunningError(`The last stack on ${dataDir} has not shut down yet (process ${supervisor.pid}).`);
    } else await delay(50);
  }
}
