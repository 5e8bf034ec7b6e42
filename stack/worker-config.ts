import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePrivateFile } from '../cli/local-stack/private-file.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** The differences from wrangler.toml: a pattern that must match, and its replacement. */
const CHANGES = [
  [/^directory = .*$/m, `directory = ${JSON.stringify(join(PROJECT, 'dist/pages'))}`],
  // With required secrets, wrangler passes no other settings to the Worker, and the shell's environment overrides those
  // it passes.
  [/^\[secrets\]\n(?:(?!\[).*\n)*/m, ''],
] as const;

const MAIN = /^main = .*$/m;

/** The Worker's entry. */
const WORKER_SOURCE = join(PROJECT, 'src/worker.ts');

interface Options {
  /** Default: the Worker's entry. */
  readonly main?: string;
}

/**
 * Writes the wrangler.toml of a local Worker into a directory.
 * @returns the path of the file.
 * @throws when wrangler.toml does not match.
 */
export function writeWorkerConfig(directory: string, { main = WORKER_SOURCE }: Options = {}): string {
  const file = join(directory, 'wrangler.toml');
  const entry = `main = ${JSON.stringify(main)}`;
  const config = [[MAIN, entry] as const, ...CHANGES].reduce(
    (text, [pattern, replacement]) => {
      if (!pattern.test(text)) throw new Error(`wrangler.toml does not match ${pattern}`);
      return text.replace(pattern, () => replacement);
    },
    readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8'),
  );
  writePrivateFile(file, config);
  return file;
}
