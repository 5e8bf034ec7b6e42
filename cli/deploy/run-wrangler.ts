import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { COMPILE_CACHE, WRANGLER } from '../local-stack/wrangler.ts';

export interface WranglerResult {
  readonly succeeded: boolean;
  readonly stdout: string;
  /** stdout and stderr without colours. */
  readonly output: string;
}

/** Runs wrangler without questions and returns what it prints. */
export async function runWrangler(args: readonly string[]): Promise<WranglerResult> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    env: { ...process.env, ...COMPILE_CACHE, CI: '1', WRANGLER_SEND_METRICS: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  return { succeeded: code === 0, stdout, output: stripVTControlCharacters(output) };
}

/** @returns the first error that wrangler printed, with its first detail, on one line. */
export function errorOf({ output }: WranglerResult): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const at = lines.findIndex((line) => line.includes('[ERROR]'));
  const shown = at === -1 ? lines.slice(-2) : lines.slice(at, at + 2);
  return shown.join(' ').replace(/^.*?\[ERROR\]\s*/, '');
}

/** Runs wrangler on this terminal. @returns its exit code. */
export async function runWranglerHere(args: readonly string[]): Promise<number> {
  const [code] = await once(spawn(process.execPath, [WRANGLER, ...args], { stdio: 'inherit' }), 'close');
  return typeof code === 'number' ? code : 1;
}
