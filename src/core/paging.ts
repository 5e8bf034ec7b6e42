import { z } from 'zod';
import { idAt } from './record-id.ts';
import { momentField, recordIdField, wholeNumberParameter } from './fields.ts';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

/** The query of every list, newest first. Ids are time-ordered, so a page and a time span are both ranges of ids. */
export const pageFields = {
  limit: wholeNumberParameter(1, MAX_PAGE_SIZE, {
    description: `Items on a page; default ${PAGE_SIZE}, at most ${MAX_PAGE_SIZE}`,
    example: PAGE_SIZE,
  }),
  cursor: recordIdField.optional().meta({ description: 'nextCursor of the previous page' }),
  createdFrom: momentField.optional().meta({
    type: 'string',
    format: 'date-time',
    description: 'Created at this time or later',
    example: '2026-11-01T00:00:00Z',
  }),
  createdTo: momentField.optional().meta({
    type: 'string',
    format: 'date-time',
    description: 'Created before this time',
    example: '2026-12-01T00:00:00Z',
  }),
};

export type PageQuery = z.output<z.ZodObject<typeof pageFields>>;

/** The ids of a page: from `from` (inclusive) to `before` (exclusive), newest first, at most `take`. */
export interface PageRange {
  readonly from: string;
  readonly before: string;
  readonly take: number;
}

/** @returns a range of one row more than the page has, which shows whether another page follows. */
export function pageRange({ limit, cursor, createdFrom, createdTo }: PageQuery): PageRange {
  const end = createdTo === undefined ? 'g' : idAt(createdTo.getTime());
  return {
    from: createdFrom === undefined ? '' : idAt(createdFrom.getTime()),
    before: cursor !== undefined && cursor < end ? cursor : end,
    take: (limit ?? PAGE_SIZE) + 1,
  };
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** The `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * @param rows The rows of `range`.
 * @param shape Makes a row's reply.
 * @param searchedTo The lowest id that was searched; undefined: all of the range, or the page is full.
 */
export function pageOf<Row extends { readonly id: string }, Item>(
  rows: readonly Row[],
  { take }: PageRange,
  shape: (row: Row) => Item,
  searchedTo?: string,
): Page<Item> {
  const shown = rows.slice(0, take - 1);
  const last = shown.at(-1)?.id;
  if (rows.length === take) return { items: shown.map(shape), nextCursor: last ?? null };
  // Records that were added meanwhile may have moved it above the last row.
  const next = last !== undefined && searchedTo !== undefined && last < searchedTo ? last : searchedTo;
  return { items: shown.map(shape), nextCursor: next ?? null };
}

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).meta({ description: 'The records of this page' }),
    nextCursor: recordIdField.nullable().meta({
      description:
        '`cursor` of the next page; null on the last page. A page may have few items, or none, although another one follows',
    }),
  });
}
