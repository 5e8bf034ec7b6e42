import { fileURLToPath } from 'node:url';

const DEFAULT = fileURLToPath(new URL('../../.dev', import.meta.url));

/** The data directory of the stack that `npm run dev` starts: STACK_DIR, by default `.dev` in the project. */
export function dataDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return env['STACK_DIR'] || DEFAULT;
}
