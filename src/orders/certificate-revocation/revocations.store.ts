import { and, desc, eq } from 'drizzle-orm';
import type { Address } from 'viem';
import type { SystemDb } from '../../platform/database/client.ts';
import { certificateRevocations } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';

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
