/**
 * Reorders items so that groups take turns: the first item of every group, then the second of every group, and so on.
 * Within a group its own groups take turns in the same way, and within the innermost the order is kept. Which group
 * begins is random at each level, so that over many calls none is always the last.
 * @param groupings What the items are grouped by, from the outermost in.
 * @param random Numbers from 0 up to 1.
 */
export function roundRobin<Item>(
  items: readonly Item[],
  [groupOf, ...inner]: readonly ((item: Item) => string)[],
  random: () => number = Math.random,
): Item[] {
  if (groupOf === undefined) return [...items];
  const found = Array.from(Map.groupBy(items, groupOf).values(), (group) => roundRobin(group, inner, random));
  const groups = rotated(found, random());
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}

/**
 * The items from a place on, and then those before it.
 * @param random A number from 0 up to 1, which decides the place.
 */
export function rotated<Item>(items: readonly Item[], random = Math.random()): Item[] {
  const start = Math.floor(random * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
