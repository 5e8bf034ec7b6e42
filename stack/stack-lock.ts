import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { keeperPid } from './kept-process.ts';
import { readFileIfAny } from './private-file.ts';
import { processCommand } from './process-command.ts';

/** Another stack uses the data directory. */
class StackRunsError extends Error {
  override readonly name = 'StackRunsError';
}

const processSchema = z.object({ pid: z.number(), command: z.string() });
const holderSchema = z.object({ main: processSchema, keeper: processSchema });
type Holder = z.output<typeof holderSchema>;

const ENDING_MS = 60_000;

const self = (pid: number) => ({ pid, command: processCommand(pid) ?? '' });

/** A process id alone is not enough: after a crash it may be another program's. */
const lives = ({ pid, command }: Holder['main']) => processCommand(pid) === command;

function createExclusively(path: string, content: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, content, { mode: 0o600 });
  try {
    // A link, so that the file is there as a whole or not at all.
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes a lock that no one holds any more, unless someone took it over in the meantime. */
function removeStale(path: string, content: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    // Someone else was quicker.
    return;
  }
  if (readFileIfAny(aside) === content) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/**
 * Makes sure that one stack only uses a data directory. A lock whose stack was killed is taken over, as soon as the last of its
 * processes is gone.
 * @returns what releases it.
 * @throws {StackRunsError} when a stack runs there.
 */
export async function lockStack(dataDir: string): Promise<() => void> {
  const path = join(dataDir, 'lock');
  const mine = JSON.stringify({ main: self(process.pid), keeper: self(keeperPid()) } satisfies Holder);
  for (const deadline = Date.now() + ENDING_MS; ;) {
    if (createExclusively(path, mine)) {
      return () => {
        if (readFileIfAny(path) === mine) rmSync(path, { force: true });
      };
    }
    const content = readFileIfAny(path);
    if (content === undefined) continue;
    const { main, keeper } = holderSchema.parse(JSON.parse(content));
    if (lives(main)) {
      throw new StackRunsError(`A local stack already runs on ${dataDir} (process ${main.pid}). End it first.`);
    }
    if (!lives(keeper)) removeStale(path, content);
    else if (Date.now() > deadline) {
      throw new StackRunsError(`The last stack on ${dataDir} has not ended yet (process ${keeper.pid}).`);
    } else await delay(50);
  }
}
