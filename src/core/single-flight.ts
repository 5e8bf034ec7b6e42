import { waitUntil } from 'cloudflare:workers';

/** How long a call waits for another call's run, in milliseconds, before it makes a run of its own. */
const PATIENCE_MS = 10_000;

/**
 * Makes calls with the same key that overlap share one run of `work`; what else the first call gives goes to the run.
 *
 * A run belongs to the request that began it. `waitUntil` keeps it alive when that request ends first. And a request that
 * has nothing pending of its own, only a promise of another request, counts as hung and is cancelled by the runtime: so
 * whoever joins a run waits beside a timer of its own, and should the run be lost with its request, runs by itself.
 */
export function singleFlight<Result, Rest extends readonly unknown[] = []>(
  work: (key: string, ...rest: Rest) => Promise<Result>,
): (key: string, ...rest: Rest) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();

  const begin = (key: string, rest: Rest) => {
    const run = work(key, ...rest).finally(() => {
      if (running.get(key) === run) running.delete(key);
    });
    running.set(key, run);
    // A failure reaches whoever awaits the run; here it must only not count as unhandled.
    waitUntil(run.then(ignore, ignore));
    return run;
  };

  return async (key, ...rest) => {
    const shared = running.get(key);
    const joined = shared === undefined ? undefined : await within(PATIENCE_MS, shared);
    return joined === undefined ? await begin(key, rest) : joined.result;
  };
}

/** @returns undefined when there is no result by then. */
async function within<Result>(milliseconds: number, shared: Promise<Result>): Promise<{ result: Result } | undefined> {
  const timer = new AbortController();
  const patience = scheduler.wait(milliseconds, { signal: timer.signal }).then(ignore);
  try {
    const joined = await Promise.race([shared.then((result) => ({ result })), patience]);
    return joined ?? undefined;
  } finally {
    timer.abort();
  }
}

function ignore(): void {}
