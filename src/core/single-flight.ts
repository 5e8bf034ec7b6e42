import { waitUntil } from 'cloudflare:workers';
import { within } from './within.ts';

/** How long a call waits for a shared run before it starts its own. */
const JOIN_TIMEOUT_MS = 10_000;

/**
 * Deduplicates concurrent calls: calls with the same key that overlap share one run of `work`, which gets the arguments
 * of the first call.
 *
 * A run belongs to the request that started it. `waitUntil` keeps it alive if that request ends first. The runtime
 * cancels a request as hung when all it waits for is another request's promise, so a call that joins a run also waits
 * on a timer of its own, and starts its own run if the shared one was lost with its request.
 */
export function singleFlight<Result, Rest extends readonly unknown[] = []>(
  work: (key: string, ...rest: Rest) => Promise<Result>,
): (key: string, ...rest: Rest) => Promise<Result> {
  const running = new Map<string, Promise<Result>>();

  const start = (key: string, rest: Rest) => {
    const run = work(key, ...rest).finally(() => {
      if (running.get(key) === run) running.delete(key);
    });
    running.set(key, run);
    // Callers see a failure when they await the run; this only keeps it from being reported as unhandled.
    waitUntil(run.then(ignore, ignore));
    return run;
  };

  return async (key, ...rest) => {
    const shared = running.get(key);
    const joined = shared === undefined ? undefined : await within(JOIN_TIMEOUT_MS, shared);
    return joined === undefined ? await start(key, rest) : joined.result;
  };
}

function ignore(): void {}

/** How long a read waits for others to join it, in milliseconds. */
const GATHER_MS = 10;
/** The most names in one read. */
const MAX_NAMES = 200;

/**
 * Batches reads of single values: calls within ten milliseconds, of up to 200 names, share one read. No caller is
 * rejected.
 * @param readMany Reads the values of up to 200 names; its result omits names without a value.
 * @returns a function that reads the value of a name; undefined when it has none.
 */
export function readTogether<Value>(
  readMany: (names: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (name: string) => Promise<Value | undefined> {
  let gathering = { id: 0, names: new Set<string>() };
  const gatherNext = () => (gathering = { id: gathering.id + 1, names: new Set() });

  const read = singleFlight(async (_, batch: typeof gathering) => {
    await scheduler.wait(GATHER_MS);
    if (gathering === batch) gatherNext();
    return await readMany([...batch.names]);
  });

  return async (name) => {
    if (gathering.names.size === MAX_NAMES) gatherNext();
    const batch = gathering;
    batch.names.add(name);
    return (await read(String(batch.id), batch)).get(name);
  };
}
