/**
 * The item in the middle by its value; of an even number, the lower one of the two. More than half of the items reach
 * its value.
 * @returns undefined of none.
 */
export function lowerMedian<Item>(items: readonly Item[], valueOf: (item: Item) => bigint | number): Item | undefined {
  return items.toSorted((a, b) => (valueOf(a) < valueOf(b) ? -1 : 1))[Math.floor((items.length - 1) / 2)];
}
