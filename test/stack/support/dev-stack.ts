import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stackInfoSchema, type StackInfo } from '../../../cli/local-stack/stack-files.ts';
import { runScript, type RunningScript } from './run-script.ts';

/** `npm run dev` in a process of its own, which can be killed. */
export interface DevStack {
  readonly run: RunningScript;
  readonly info: StackInfo;
}

/** Starts the stack on a data directory, on any port. @throws if it ends before it is ready. */
export async function startDevStack(dataDir: string): Promise<DevStack> {
  const run = runScript(new URL('../../../scripts/dev.ts', import.meta.url), [], { PORT: '0', STACK_DIR: dataDir });
  const file = join(dataDir, 'stack.json');
  for (;;) {
    if (run.child.exitCode !== null) throw new Error(`It ended: ${run.output()}`);
    // The file of the killed stack may still exist for a moment.
    const text = await readFile(file, 'utf8').catch(() => '{}');
    const info = stackInfoSchema.safeParse(JSON.parse(text));
    if (info.success && info.data.pid === run.child.pid) return { run, info: info.data };
    await delay(50);
  }
}
