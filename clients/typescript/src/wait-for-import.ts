import type { Import, Operations } from './api.ts';
import type { RequestOptions } from './operation.ts';
import { FIRST_WAIT_MS, jittered, longerWait, pause } from './pause.ts';

/** Reads an import until the service does nothing more for it by itself. */
export type WaitForImport = (one: Import, options?: RequestOptions) => Promise<Import>;

/** The states in which the service works on an import. */
const ACTIVE: ReadonlySet<string> = new Set(['UPLOADING', 'CHECKING', 'RUNNING'] satisfies Import['status'][]);

/** The method that waits for an import. */
export function waitForImport(operations: Operations): WaitForImport {
  return async (one, options = {}) => {
    let current = one;
    for (let wait = FIRST_WAIT_MS; ACTIVE.has(current.status); wait = longerWait(wait)) {
      await pause(jittered(wait), options.signal);
      current = await operations.getImport({ id: one.id }, options);
    }
    return current;
  };
}
