/**
 * The items from a place on, and then those before it.
 * @param random A number from 0 up to 1, which decides the place.
 */
export function rotated<Item>(items: readonly Item[], random = Math.random()): Item[] {
  const start = Math.floor(random * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
