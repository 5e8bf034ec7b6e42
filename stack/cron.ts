import { z } from 'zod';

const INTERVAL_MS = 10 * 60_000;
const TIMEOUT_MS = 5 * 60_000;
/** More than any idle time that the cleanup job waits for. */
const AHEAD_MS = 15 * 60_000;

const resultSchema = z.object({ outcome: z.string() });

/** The cron trigger of wrangler.toml, which `wrangler dev` does not fire by itself. */
export interface Cron {
  stop(): Promise<void>;
}

async function fire(baseUrl: string, scheduledTime: number, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ cron: '*/10 * * * *', time: String(scheduledTime), format: 'json' });
  const response = await fetch(`${baseUrl}/cdn-cgi/local/scheduled?${query.toString()}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const { outcome } = resultSchema.parse(await response.json());
  if (outcome !== 'ok') throw new Error(`outcome ${outcome}`);
}

/**
 * Fires the Worker's cron trigger at once, and every 10 minutes from then on. A call that fails is logged; the next one is made all the same.
 * The first call's scheduled time is ahead of now: the local queues lose their messages when wrangler stops, and the cleanup job counts
 * how long work has been idle up to its scheduled time, so this call wakes all work that the last stop left unfinished.
 */
export function startCron(baseUrl: string, log: (line: string) => void): Cron {
  const end = new AbortController();
  const tick = async (scheduledTime: number) => {
    try {
      await fire(baseUrl, scheduledTime, end.signal);
    } catch (error) {
      if (!end.signal.aborted)
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
      end.abort();
      return last;
    },
  };
}
