import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startStack } from '../../stack/stack.ts';
import { runningStackSettings, type StackInfo } from '../../cli/local-stack/stack-files.ts';
import { removeStackDirectory } from '../record/record-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    info: StackInfo;
    databaseUrl: string;
    /** What the Worker is started with. */
    settings: Readonly<Record<string, string>>;
  }
}

/** Starts one local stack for all tests of the pages. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'nft-browser-'));
  const stack = await startStack({ dataDir, port: 0, quiet: true });
  project.provide('info', stack.info);
  const settings = runningStackSettings(dataDir)?.worker ?? {};
  project.provide('databaseUrl', settings['DATABASE_URL'] ?? '');
  project.provide('settings', settings);
  return async () => {
    await stack.stop();
    await removeStackDirectory(dataDir);
  };
}
