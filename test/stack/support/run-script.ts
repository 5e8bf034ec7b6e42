import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface RunningScript {
  readonly child: ChildProcess;
  /** The output on stdout and stderr so far. */
  output(): string;
  /** The output on stdout so far. */
  stdout(): string;
  /** Resolves when it has exited, with its exit code or the signal that killed it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs a script of the project with additional environment variables. */
export function runScript(script: URL, args: readonly string[], env: Readonly<Record<string, string>>): RunningScript {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  return { child, output: () => output, stdout: () => stdout, ended };
}
