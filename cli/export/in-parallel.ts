/** Files that are worked on at a time. */
const AT_ONCE = 32;

/** Runs something for each item, for several at a time. */
export async function inParallel<Item>(items: Iterable<Item>, run: (item: Item) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) await run(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
