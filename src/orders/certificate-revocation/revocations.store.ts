import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { isActive } from '../../catalog/contracts/contracts.store.ts';
import { orderReading } from '../../engine/transactions.store.ts';
import type { SystemDb, TenantDb } from '../../platform/database/client.ts';
import { certificateRevocations, contracts, transactions } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { columnsOf } from '../../platform/database/values.ts';

/** How the engine reads revocations. */
export const certificateRevocationRows = orderReading(
  certificateRevocations.id,
  {
    ...columnsOf(certificateRevocations),
    followedBy: sql<string | null>`${transactions.details}->>'followedBy'`,
  },
  sql`${certificateRevocations}`,
);

/** The latest revocation of a certificate. @param contractAddress Lower case. @param tokenId Decimal. */
export async function findLatestRevocation(db: SystemDb, contractAddress: Address, tokenId: string) {
  const [found] = await tagged(
    'find-latest-revocation',
    db.sql
      .select({
        chainId: certificateRevocations.chainId,
        reason: certificateRevocations.reason,
        txHash: certificateRevocations.txHash,
      })
      .from(certificateRevocations)
      .where(
        and(
          eq(certificateRevocations.contractAddress, contractAddress),
          eq(certificateRevocations.tokenId, tokenId),
          eq(certificateRevocations.status, 'CONFIRMED'),
        ),
      )
      .orderBy(desc(certificateRevocations.id))
      .limit(1),
  );
  return found;
}

/** The account's ACTIVE certificate contracts at these addresses, on any chain. @param addresses In lower case. */
export async function certificateContractsAt(db: TenantDb, addresses: readonly Address[]) {
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
