/** Whether so many voters outvote all others: they are more than half. */
export function isMost(votes: number, voters: number): boolean {
  return votes * 2 > voters;
}

/**
 * What more than half of the voters say.
 * @param said What they say, each once. @param keyOf What is the same for those that agree; undefined: it says nothing.
 * @returns all that say it; empty if no more than half agree.
 */
export function saidByMost<Said>(
  said: readonly Said[],
  keyOf: (one: Said) => string | undefined,
  voters: number,
): readonly Said[] {
  const groups = Map.groupBy(said, keyOf);
  return [...groups].find(([key, { length }]) => key !== undefined && isMost(length, voters))?.[1] ?? [];
}
