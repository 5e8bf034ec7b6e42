import { and, desc, eq } from 'drizzle-orm';
import type { Address } from 'viem';
import type { TenantDb } from './client.ts';
import { contracts } from './schema.ts';

/** The address of the account's newest ACTIVE forwarder on a chain; lower case. */
export async function newestForwarder(db: TenantDb, chainId: string): Promise<Address | undefined> {
  const [row] = await db.sql
    .select({ contractAddress: contracts.contractAddress })
    .from(contracts)
    .where(
      and(
        eq(contracts.corporateAccountId, db.accountId),
        eq(contracts.chainId, chainId),
        eq(contracts.ercStandard, 'Forwarder'),
        eq(contracts.status, 'ACTIVE'),
      ),
    )
    .orderBy(desc(contracts.id))
    .limit(1);
  return row?.contractAddress ?? undefined;
}
