/** How many texts are read at a time, and the most that one call changes. */
export const PAGE = 500;

/** Stored texts that another key than the newest has encrypted. */
interface Texts<Row> {
  /** Reads a page of them, oldest first, after `offset` of them. */
  read(offset: number): Promise<readonly { readonly row: Row; readonly total: number }[]>;
  /** Encrypts one with the newest key. @throws if it cannot be read. */
  encrypt(row: Row): Promise<void>;
  unreadable(row: Row, error: unknown): void;
}

/**
 * Encrypts stored texts with the newest key. One whose key is gone does not stop the others.
 * @returns how many were changed, and how many are left: unreadable, or for the next call.
 */
export async function encryptAgain<Row>(
  texts: Texts<Row>,
): Promise<{ readonly changed: number; readonly left: number }> {
  let [changed, unreadable] = [0, 0];
  for (;;) {
    const page = await texts.read(unreadable);
    const before = changed;
    for (const { row } of page) {
      try {
        await texts.encrypt(row);
        changed += 1;
      } catch (error) {
        texts.unreadable(row, error);
        unreadable += 1;
      }
    }
    const left = page[0] === undefined ? unreadable : page[0].total - (changed - before);
    if (page.length < PAGE || changed >= PAGE) return { changed, left };
  }
}
