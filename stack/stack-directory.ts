import { fileURLToPath } from 'node:url';

const DEFAULT = fileURLToPath(new URL('../.dev', import.meta.url));

/** Where the local stack that a person works with keeps its data: STACK_DIR, else .dev in the project. */
export function stackDirectory(): string {
  return process.env['STACK_DIR'] || DEFAULT;
}
