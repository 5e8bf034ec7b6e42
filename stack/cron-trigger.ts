import { fireCron } from './fire-cron.ts';

const INTERVAL_MS = 10 * 60_000;
/** Longer than any idle time after which the cleanup job acts. */
const AHEAD_MS = 15 * 60_000;

/** Fires the Worker's cron trigger until it is stopped. */
interface CronTrigger {
  stop(): Promise<void>;
}

/**
 * Fires the Worker's cron trigger now and then every 10 minutes. A failed call is logged, and the schedule continues.
 * The scheduled time of the first call is in the future: the local queues lose their messages when wrangler stops, and
 * the cleanup job measures idle time up to its scheduled time, so this call resumes all work that the previous run left
 * unfinished.
 */
export function startCronTrigger(baseUrl: string, log: (line: string) => void): CronTrigger {
  const stopped = new AbortController();
  const tick = async (scheduledTime: number) => {
    try {
      await fireCron(baseUrl, scheduledTime, stopped.signal);
    } catch (error) {
      if (!stopped.signal.aborted)
        log(`The cron trigger failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let last = tick(Date.now() + AHEAD_MS);
  const timer = setInterval(() => {
    last = tick(Date.now());
  }, INTERVAL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      stopped.abort();
      return last;
    },
  };
}
