import { sql } from 'drizzle-orm';
import type { TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { assets } from '../../platform/database/schema.ts';

export type Asset = typeof assets.$inferSelect;
export type NewAsset = Omit<typeof assets.$inferInsert, 'corporateAccountId'>;

export async function insertAsset(db: TenantDb, values: NewAsset): Promise<Asset> {
  const insert = db.sql
    .insert(assets)
    .values({ ...values, corporateAccountId: db.accountId })
    .returning();
  const {
    stored: [row],
  } = await runChange(db, { stored: insert }, sql`select ${values.id} as id`);
  if (row === undefined) throw new Error('The insert of an asset returned no row');
  return row;
}
