import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePrivateFile } from './private-file.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** What differs from wrangler.toml: a pattern that it must match, and its replacement. */
const CHANGES = [
  [/^main = .*$/m, `main = ${JSON.stringify(join(PROJECT, 'src/worker.ts'))}`],
  // Where secrets are required, wrangler gives the Worker no other settings, and the shell's environment overrides those it gives.
  [/^\[secrets\]\n(?:(?!\[).*\n)*/m, ''],
] as const;

/**
 * Writes the wrangler.toml of a Worker on this machine into a directory.
 * @returns the file's path.
 * @throws when wrangler.toml does not look as expected.
 */
export function writeWorkerConfig(directory: string): string {
  const file = join(directory, 'wrangler.toml');
  const config = CHANGES.reduce(
    (text, [pattern, replacement]) => {
      if (!pattern.test(text)) throw new Error(`wrangler.toml has nothing that matches ${pattern}`);
      return text.replace(pattern, () => replacement);
    },
    readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8'),
  );
  writePrivateFile(file, config);
  return file;
}
