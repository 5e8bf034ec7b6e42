/** The most bytes of documents in a page of a list. A document can have half a megabyte, and a Worker has 128. */
const PAGE_BYTES = 4 * 1_024 * 1_024;

/** The first rows of a list whose documents fit into a page together; at least one, if there is any. */
export function fitPage<Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] {
  let bytes = 0;
  return rows.filter((row, index) => (bytes += row.bytes) <= PAGE_BYTES || index === 0);
}
