import { ConnectionError } from './errors.ts';
import type { List } from './operation.ts';

/** A page as it arrives. */
interface AnyPage {
  readonly items: readonly unknown[];
}

/**
 * @param readPage Reads the page that a token names; the first one without.
 * @param next The field of a page with the token of the next one, null on the last.
 */
export function listOf(readPage: (token?: string) => Promise<unknown>, next: string): List<AnyPage> {
  const read = async (token?: string) => {
    const page = await readPage(token);
    const following: unknown = typeof page === 'object' && page !== null ? Reflect.get(page, next) : undefined;
    if (!isPage(page) || (following !== null && typeof following !== 'string')) {
      throw new ConnectionError('unreadable', `The reply is not a page with items and ${next}`, undefined);
    }
    if (following !== null && following === token) {
      throw new ConnectionError('unreadable', 'The page names itself as the next one', undefined);
    }
    return { page, following };
  };
  const first = read();
  async function* pages() {
    for (let current = await first; ; current = await read(current.following)) {
      yield current.page;
      if (current.following === null) return;
    }
  }
  async function* items() {
    for await (const page of pages()) yield* page.items;
  }
  const firstPage = first.then(({ page }) => page);
  // Who goes through the items gets the error there.
  firstPage.catch(() => {});
  return Object.assign(firstPage, { pages, [Symbol.asyncIterator]: items });
}

function isPage(value: unknown): value is AnyPage {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}
