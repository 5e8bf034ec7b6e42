/** The most rows that one statement of the cleanup job changes: few enough to lock them only briefly. */
const BATCH = 2_000;

/**
 * Repeats statements in turn, each until it finds nothing more to change, so that none waits for the backlog of
 * another.
 * @param changes Each changes at most `limit` rows and returns how many it has changed.
 * @param isOver Whether the run has lasted long enough; the next run continues.
 * @returns how many rows each has changed.
 */
export async function inBatches(
  changes: Readonly<Record<string, (limit: number) => Promise<number>>>,
  isOver: () => boolean,
): Promise<Readonly<Record<string, number>>> {
  const tables = Object.entries(changes).map(([name, change]) => ({ name, change, total: 0 }));
  let unfinished = tables;
  while (unfinished.length > 0 && !isOver()) {
    const next: typeof tables = [];
    for (const table of unfinished) {
      const changed = await table.change(BATCH);
      table.total += changed;
      if (changed === BATCH) next.push(table);
    }
    unfinished = next;
  }
  return Object.fromEntries(tables.map(({ name, total }) => [name, total]));
}
