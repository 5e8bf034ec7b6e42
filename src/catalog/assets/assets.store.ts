import type { TenantDb } from '../../platform/database/client.ts';
import { assets } from '../../platform/database/schema.ts';

export type Asset = typeof assets.$inferSelect;
export type NewAsset = Omit<typeof assets.$inferInsert, 'corporateAccountId'>;

export async function insertAsset(db: TenantDb, values: NewAsset): Promise<Asset> {
  const [row] = await db.sql
    .insert(assets)
    .values({ ...values, corporateAccountId: db.accountId })
    .returning();
  if (row === undefined) throw new Error('The insert of an asset returned no row');
  return row;
}
