/** The most rows that one statement of the cleanup job changes: few enough to lock them only briefly. */
const BATCH = 2_000;

/**
 * Repeats statements in turn, each until it finds nothing more to change, so that none waits for the backlog of another.
 * @param changes Each changes at most `limit` rows and returns how many it has changed.
 * @param isOver Whether the run has lasted long enough; the next run continues.
 * @returns how many rows each has changed.
 */
export async function inBatches<Name extends string>(
  changes: Readonly<Record<Name, (limit: number) => Promise<number>>>,
  isOver: () => boolean,
): Promise<Record<Name, number>> {
  const names = Object.keys(changes) as Name[];
  const totals = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  let unfinished = names;
  while (unfinished.length > 0 && !isOver()) {
    const next: Name[] = [];
    for (const name of unfinished) {
      const changed = await changes[name](BATCH);
      totals[name] += changed;
      if (changed === BATCH) next.push(name);
    }
    unfinished = next;
  }
  return totals;
}
