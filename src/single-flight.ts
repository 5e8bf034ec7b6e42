import { waitUntil } from 'cloudflare:workers';

/**
 * Makes calls with the same key that overlap share one run of `work`.
 *
 * A run is tied to the request that began it; `waitUntil` keeps it alive when that request ends first, since a promise
 * whose request is gone would never settle for the others.
 */
export function singleFlight<Result>(work: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();
  return (key) => {
    const shared = running.get(key);
    if (shared !== undefined) return shared;
    const run = work(key).finally(() => running.delete(key));
    running.set(key, run);
    // A failure reaches whoever awaits the run; here it must only not count as unhandled.
    waitUntil(run.then(ignore, ignore));
    return run;
  };
}

function ignore(): void {}
