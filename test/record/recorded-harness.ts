import { createTestHarness } from 'wrangler';
import type { TestHarness } from 'wrangler';
import { recordSettings } from './record-stack.ts';
import { recordServiceReply } from './reply-recorder.ts';
import { recordLog } from './run-record.ts';

interface Options {
  readonly workers: { readonly configPath: string; readonly secrets?: Record<string, string> }[];
}

/** Wrangler's test harness, which records the Workers' settings, logs and replies. */
export interface RecordedHarness extends Omit<TestHarness, 'update'> {
  update(options: Options): Promise<void>;
}

/** Otherwise it would store a trace of every request, which takes a sixth of the time of a test run. */
const WITHOUT_TRACES = { X_LOCAL_EXPLORER: 'false', X_LOCAL_OBSERVABILITY: 'false' };

export function createRecordedHarness(options?: Options): RecordedHarness {
  Object.assign(process.env, WITHOUT_TRACES);
  const harness = createTestHarness(options);
  const recordSecrets = ({ workers }: Options) => {
    for (const { secrets = {} } of workers) recordSettings(secrets);
  };
  const recordLogs = () => {
    const lines = harness.getLogs().map(({ message }) => message);
    recordLog('the log of a Worker in the test harness', lines.join('\n'));
  };
  if (options !== undefined) recordSecrets(options);
  return {
    ...harness,
    async fetch(input, init) {
      const reply = await harness.fetch(input, init);
      const { pathname, search } = new URL(
        typeof input === 'object' && 'url' in input ? input.url : input,
        'http://service.test',
      );
      const { status, headers } = reply;
      const request = { method: init?.method ?? 'GET', path: `${pathname}${search}`, body: init?.body };
      recordServiceReply(request, { status, headers, text: await reply.clone().text() });
      return reply;
    },
    async update(next) {
      recordLogs();
      recordSecrets(next);
      await harness.update(next);
    },
    async close() {
      recordLogs();
      await harness.close();
    },
  };
}
