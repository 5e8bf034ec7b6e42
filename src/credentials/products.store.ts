import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { SystemDb } from '../platform/database/client.ts';
import { contracts, corporateAccounts, metadata, productGtin, productSerial } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { isStanding, issuerColumns } from './certificates.store.ts';

/** More certificates of one product are not read. */
const MAX_CERTIFICATES = 20;

/** A product, as a GS1 Digital Link names it. */
export interface Product {
  /** The GTIN in each form that a document may give. */
  readonly gtins: readonly string[];
  readonly serial: string;
}

/**
 * The certificates whose documents name a product, of all accounts: those of confirmed issuers first, so that nobody else
 * can crowd them out, and the newest first.
 */
export async function findCertificatesOf(db: SystemDb, { gtins, serial }: Product) {
  return await tagged(
    'find-certificates-of-product',
    db.sql
      .select({
        contractAddress: sql<Address>`${metadata.contractAddress}`,
        tokenId: sql<string>`${metadata.tokenId}`,
        chainId: metadata.chainId,
        document: metadata.standardFields,
        isStanding: isStanding(metadata.contractAddress, metadata.tokenId),
        issuer: issuerColumns,
      })
      .from(metadata)
      .innerJoin(contracts, eq(contracts.contractAddress, metadata.contractAddress))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .where(
        and(
          inArray(productGtin, gtins),
          eq(productSerial, serial),
          sql`${metadata.contractAddress} is not null`,
          eq(contracts.contractType, 'certificate'),
        ),
      )
      .orderBy(sql`${corporateAccounts.issuerConfirmedAt} is null`, desc(metadata.linkedAt), desc(metadata.id))
      .limit(MAX_CERTIFICATES),
  );
}
