import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { ImportKind } from '../platform/database/vocabulary/import.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { importChunks, imports, metadata, orders } from '../platform/database/schema.ts';

/** Which of these documents, or of these orders, the account has. */
export async function idsThere(db: TenantDb, kind: ImportKind, ids: readonly string[]): Promise<string[]> {
  const table = kind === 'metadata' ? metadata : orders;
  const rows = await db.sql
    .select({ id: table.id })
    .from(table)
    .where(and(inArray(table.id, [...ids]), eq(table.corporateAccountId, db.accountId)));
  return rows.map(({ id }) => id);
}

/** The next chunks of an import of the account, after the one at a place. */
export function nextChunks(db: TenantDb, importId: string, after: number, limit: number) {
  const { place, numbers, runAt, refusals } = importChunks;
  return db.sql
    .select({ place, numbers, runAt, refusals })
    .from(importChunks)
    .innerJoin(imports, and(eq(imports.id, importChunks.importId), eq(imports.corporateAccountId, db.accountId)))
    .where(and(eq(importChunks.importId, importId), gt(place, after)))
    .orderBy(asc(place))
    .limit(limit);
}

/** What has become of the account's minting orders with these ids. */
export function orderResults(db: TenantDb, ids: readonly string[]) {
  const { id, metadataId, tokenId, status, txHash, errorMessage } = orders;
  return db.sql
    .select({ id, metadataId, tokenId, status, txHash, errorMessage })
    .from(orders)
    .where(and(inArray(id, [...ids]), eq(orders.corporateAccountId, db.accountId)));
}
