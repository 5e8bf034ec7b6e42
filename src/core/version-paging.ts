import { z } from 'zod';
import { recordIdField } from './fields.ts';
import { pageFields, type Page } from './paging.ts';

const PAGE_SIZE = 50;
const VERSION = /^[1-9]\d{0,8}$/;

/** The query of a list of versions, newest first. */
export const versionsQuery = z.object({
  limit: pageFields.limit,
  cursor: z
    .string()
    .regex(VERSION, 'must be nextCursor of a page')
    .transform(Number)
    .optional()
    .meta({ type: 'string', pattern: VERSION.source, description: 'nextCursor of the previous page', example: '7' }),
});

/** The versions of a page: below `before`, at most `limit`. */
export interface VersionRange {
  readonly before: number | undefined;
  readonly limit: number;
}

export function versionRange({ limit = PAGE_SIZE, cursor }: z.output<typeof versionsQuery>): VersionRange {
  return { before: cursor, limit };
}

/** @param rows Newest first; as many as fit, but at least one if there is one. @param shape Makes a row's reply. */
export function versionPage<Row extends { readonly version: number }, Item>(
  rows: readonly Row[],
  shape: (row: Row) => Item,
): Page<Item> {
  const last = rows.at(-1)?.version ?? 1;
  return { items: rows.map(shape), nextCursor: last === 1 ? null : String(last) };
}

export const versionPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).meta({ description: 'The versions of this page' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: '`cursor` of the next page; null on the last page', example: '7' }),
  });

/** Who made a change. @param what What was done, as in "replaced". */
export const changerReply = (what: string) =>
  z
    .enum(['key', 'global'])
    .nullable()
    .meta({
      description: `Who ${what} it: a key of the account, or a global API key; null: unknown`,
      example: 'key',
    });

export const changerKeyReply = recordIdField
  .nullable()
  .meta({ description: 'The key of the account that was used; otherwise null' });

/** {@link changerReply} of an actor of the audit log. */
export function changerOf(actor: string | null): 'key' | 'global' | null {
  return actor === 'key' || actor === 'global' ? actor : null;
}
