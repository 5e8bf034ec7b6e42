import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import { isActive } from '../../catalog/contracts/contracts.store.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { SystemDb, TenantDb } from '../../platform/database/client.ts';
import { contracts, ofResource, orders } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';

/** The latest revocation of a certificate. @param tokenId Decimal. */
export async function findLatestRevocation(db: SystemDb, contractAddress: LowerCaseAddress, tokenId: string) {
  const [found] = await tagged(
    'find-latest-revocation',
    db.sql
      .select({
        chainId: orders.chainId,
        reason: sql<string>`${orders.details}->>'reason'`,
        txHash: orders.txHash,
      })
      .from(orders)
      .where(
        and(
          eq(orders.contractAddress, contractAddress),
          eq(orders.tokenId, tokenId),
          ofResource('certificate-revocations'),
          eq(orders.status, 'CONFIRMED'),
        ),
      )
      .orderBy(desc(orders.id))
      .limit(1),
  );
  return found;
}

/** The account's ACTIVE certificate contracts at these addresses, on any chain. */
export async function certificateContractsAt(db: TenantDb, addresses: readonly LowerCaseAddress[]) {
  const rows = await db.sql
    .select({
      id: contracts.id,
      chainId: contracts.chainId,
      contractAddress: contracts.contractAddress,
      ercStandard: contracts.ercStandard,
    })
    .from(contracts)
    .where(
      and(
        isActive(db),
        eq(contracts.contractType, 'certificate'),
        inArray(contracts.contractAddress, [...new Set(addresses)]),
      ),
    );
  return rows.flatMap(({ ercStandard, ...contract }) =>
    ercStandard === 'Forwarder' ? [] : [{ ...contract, ercStandard }],
  );
}
