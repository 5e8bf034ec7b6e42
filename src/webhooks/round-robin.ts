/**
 * Reorders items so that groups take turns: the first item of every group, then the second of every group, and so on. The
 * order within a group is kept.
 */
export function roundRobin<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}
