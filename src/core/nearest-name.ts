/** Names that differ in more than a third of their letters are no misspelling of each other. */
const LARGEST_SHARE = 1 / 3;
/** A longer name is nobody's misspelling; comparing takes time in proportion to the product of both lengths. */
const MAX_LENGTH = 64;

/**
 * The known name that was probably meant.
 * @returns undefined if none is near: a guess that is far off would mislead.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_LENGTH) return undefined;
  const [nearest] = known
    .map((name) => ({ name, distance: distanceOf(plain(given), plain(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(given.length, name.length) * LARGEST_SHARE)
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.name;
}

/** Letter case and separators are what is mistaken most often. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/**
 * How many letters must be inserted, removed, replaced or swapped to turn one text into the other (optimal string
 * alignment).
 */
function distanceOf(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = at(i - 1, j - 1) + Number(one[i - 1] !== other[j - 1]);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(one.length, other.length);
}
