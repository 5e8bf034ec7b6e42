/** The most rows that one statement of the cleanup job changes: few enough to lock them only briefly. */
const BATCH = 2_000;
/** The most batches of one run; the next run continues. */
const MAX_BATCHES = 30;

/**
 * Repeats a statement until it finds nothing more to change, or a run has done enough.
 * @param change Changes at most `limit` rows and returns how many it has changed.
 * @returns how many rows were changed in total.
 */
export async function inBatches(change: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const changed = await change(BATCH);
    total += changed;
    if (changed < BATCH) break;
  }
  return total;
}
