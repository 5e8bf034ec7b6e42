import { fireCron } from './fire-cron.ts';

const INTERVAL_MS = 10 * 60_000;
const INDEX_INTERVAL_MS = 60_000;
/** Longer than any idle time after which the cleanup job acts. */
const AHEAD_MS = 15 * 60_000;

/** Fires the Worker's cron triggers until it is stopped. */
interface CronTrigger {
  stop(): Promise<void>;
}

/**
 * Fires the cron triggers of the Worker's cleanup job, now and then every 10 minutes, and of its index of transfers,
 * every minute. A failed call is logged, and the schedule continues.
 * The scheduled time of the first cleanup is in the future: the local queues lose their messages when wrangler stops, and
 * the cleanup job measures idle time up to its scheduled time, so this call resumes all work that the previous run left
 * unfinished.
 */
export function startCronTrigger(baseUrl: string, log: (line: string) => void): CronTrigger {
  const stopped = new AbortController();
  const tick = async (scheduledTime: number, job: 'cleanup' | 'index') => {
    try {
      await fireCron(baseUrl, scheduledTime, stopped.signal, job);
    } catch (error) {
      if (!stopped.signal.aborted)
        log(`The cron trigger failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let last = tick(Date.now() + AHEAD_MS, 'cleanup');
  let lastIndex = Promise.resolve();
  const timer = setInterval(() => {
    last = tick(Date.now(), 'cleanup');
  }, INTERVAL_MS);
  const indexTimer = setInterval(() => {
    lastIndex = tick(Date.now(), 'index');
  }, INDEX_INTERVAL_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      clearInterval(indexTimer);
      stopped.abort();
      await Promise.all([last, lastIndex]);
    },
  };
}
