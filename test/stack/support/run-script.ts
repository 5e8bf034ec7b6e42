import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordLog, recordSecret } from '../../record/run-record.ts';

export interface RunningScript {
  readonly child: ChildProcess;
  /** The output on stdout and stderr so far. */
  output(): string;
  /** The output on stdout so far. */
  stdout(): string;
  /** Resolves when it has exited, with its exit code or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** What `npm run nft` runs. */
export const NFT = new URL('../../../cli/nft.ts', import.meta.url);

/** Runs a script of the project with additional environment variables. @param cwd Default: this process's. */
export function runScript(
  script: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): RunningScript {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  // What a script of the tests prints is for the test that runs it.
  if (!script.pathname.includes('/test/'))
    child.once('close', () => recordLog(`the output of ${basename(script.pathname)}`, withoutShown(output)));
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  return { child, output: () => output, stdout: () => stdout, ended };
}

/**
 * Leaves out what a script is meant to show: the secrets that `npm run corporate` makes, which are recorded as such,
 * and the local stack's keys in the banner of `npm run dev`.
 */
export function withoutShown(output: string): string {
  return output
    .replaceAll(/-H 'x-api-key: \S+'|its admin key +\S+/g, '')
    .replaceAll(/whsec_[\w+/=]+|key_(?:live|test)_\w+/g, (secret) => {
      recordSecret('a secret that npm run corporate printed', secret);
      return '';
    });
}
