import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkRecord } from './check-record.ts';
import { OUTPUT_OF_RUN, endRecord, recordLog, startRecord } from './run-record.ts';

/** What the runtime of the unit tests prints of each exception, also of those that a test expects. */
const OF_RUNTIME = /^(?:uncaught exception; |exception = |stack: \/)/;

/**
 * Records the run, and at its end, when all that it started has stopped, searches every log, every reply and the run's
 * own output for the secrets that were in use. The run fails if one is found.
 */
export default function setup({ vitest }: TestProject): void {
  // Faults of a test also hit what nobody waits for any more. Few tests of `npm test` have any.
  const hasFaults = vitest.vite.config.mode !== 'test';
  const directory = mkdtempSync(join(tmpdir(), 'nft-run-'));
  startRecord(directory);
  const output: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      output.push(text);
      return OF_RUNTIME.test(text) || write(chunk, ...rest);
    };
  }
  vitest.onClose(async () => {
    recordLog(OUTPUT_OF_RUN, output.join(''));
    try {
      console.log(`Of ${checkRecord(directory, hasFaults)} of this run, no log and no reply has a secret.`);
    } finally {
      endRecord();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}
