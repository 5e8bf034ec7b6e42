/**
 * Reorders items so that groups take turns: the first item of every group, then the second of every group, and so on. The
 * order within a group is kept.
 * @param first The group that begins, from 0 up to their number: a random one, so that over many calls no group is always the last.
 */
export function roundRobin<Item>(
  items: readonly Item[],
  groupOf: (item: Item) => string,
  first = (groups: number) => Math.floor(Math.random() * groups),
): Item[] {
  const found = [...Map.groupBy(items, groupOf).values()];
  const start = first(found.length);
  const groups = [...found.slice(start), ...found.slice(0, start)];
  const rounds = Math.max(0, ...groups.map((group) => group.length));
  return Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group.slice(round, round + 1))).flat();
}
