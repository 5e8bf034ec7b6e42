import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTestClient, http, publicActions } from 'viem';
import { expect } from 'vitest';
import { runCorporate } from '../../../cli/corporate/run-corporate.ts';
import { type StackInfo, stackInfoSchema } from '../../../cli/local-stack/stack-files.ts';
import { runCommand } from './run-command.ts';
import { type RunningScript, runScript } from './run-script.ts';

const DEV = new URL('../../../scripts/dev.ts', import.meta.url);

/** A whole stack takes long to start on a busy machine. */
export const patience = { timeout: 100_000, interval: 50 };

/** A client for a chain of a local stack. */
export const localChain = (url: string) =>
  createTestClient({ mode: 'anvil', transport: http(url) }).extend(publicActions);

/** Runs `npm run dev` on a data directory, on free ports. */
export const runDev = (dataDir: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  runScript(DEV, args, { PORT: '0', STACK_DIR: dataDir, ...env });

/** The contents of stack.json, once it exists. */
export async function readyStack(dataDir: string, run: RunningScript): Promise<StackInfo> {
  const file = join(dataDir, 'stack.json');
  while (!existsSync(file)) {
    if (run.child.exitCode !== null) throw new Error(`It ended: ${run.output()}`);
    await delay(50);
  }
  return stackInfoSchema.strict().parse(JSON.parse(await readFile(file, 'utf8')));
}

/** Runs `npm run corporate` for the stack on a data directory. @returns what it prints. */
export async function corporateOf(dataDir: string, args: readonly string[]): Promise<Record<string, string>> {
  const run = await runCommand(runCorporate, [...args, '--json'], { STACK_DIR: dataDir });
  expect(run).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\{/),
    output: expect.stringMatching(/^Database: [\w.:]+\/\w+ \(local stack\)$/m),
  });
  return JSON.parse(run.stdout) as Record<string, string>;
}
