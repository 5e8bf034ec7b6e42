import { singleFlight } from './single-flight.ts';

/** How long a read waits for others to join it, in milliseconds. */
const GATHER_MS = 10;
/** The most names in one read. */
const MAX_NAMES = 200;

/**
 * Batches reads of single values: calls within ten milliseconds, of up to 200 names, share one read. No caller is rejected.
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
