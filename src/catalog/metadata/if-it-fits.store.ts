import { sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { TokenDocument } from '../../platform/database/schema.ts';

/** The most bytes of documents in a page of a list. A document can have half a megabyte, and a Worker has 128. */
const PAGE_BYTES = 4 * 1_024 * 1_024;

/**
 * The document of a row of a list, or null if it does not fit into a page with those before it; the first one fits.
 * @param order That of the list.
 */
export function ifItFits(document: SQLWrapper, order: SQL): SQL<TokenDocument | null> {
  return sql`case when row_number() over (order by ${order}) = 1
    or sum(octet_length(${document}::text)) over (order by ${order}) <= ${PAGE_BYTES} then ${document} end`;
}
