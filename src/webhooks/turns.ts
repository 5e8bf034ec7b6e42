/**
 * The same items in an order in which each group has its turn: the first of every group, then the second of every group,
 * and so on. Inside a group the order stays.
 */
export function inTurns<Item>(items: readonly Item[], groupOf: (item: Item) => string): Item[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}
