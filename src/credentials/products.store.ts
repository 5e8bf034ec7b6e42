import { and, desc, eq, sql, type SQL } from 'drizzle-orm';
import { forwarders, isForwarderOf } from '../catalog/contracts/deployments.store.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { contracts, corporateAccounts, metadata, productGtin, productSerial } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { isStanding, issuanceColumns, issuerOf } from './certificates.store.ts';

/** More certificates of one product are not read. */
const MAX_CERTIFICATES = 20;

/** A product, as a GS1 Digital Link names it. */
export interface Product {
  /** The GTIN in each form that a document may give. */
  readonly gtins: readonly string[];
  readonly serial: string;
}

/**
 * The certificates whose documents name a product, of all accounts: those of confirmed issuers first, so that nobody
 * else can crowd them out, and the newest first. Of each confirmed issuer, and of all others together, few are read,
 * however many there are.
 */
export async function findCertificatesOf(db: SystemDb, { gtins, serial }: Product) {
  const newest = (condition: SQL) => sql`
    lateral (select id from ${metadata} where ${productGtin} = forms.gtin and ${productSerial} = ${serial}
      and contract_address is not null and metadata_hash is not null and ${condition}
      order by corporate_account_id desc, linked_at desc, id desc limit ${MAX_CERTIFICATES}) one`;
  const forms = sql`unnest(${sql.param(gtins)}::text[]) as forms (gtin)`;
  const candidates = sql`
    select one.id from ${forms}, ${corporateAccounts} a, ${newest(sql`corporate_account_id = a.id`)} where a.issuer_confirmed_at is not null
    union select one.id from ${forms}, ${newest(sql`true`)}`;
  const found = await tagged(
    'find-certificates-of-product',
    db.sql
      .select({
        contractAddress: sql<LowerCaseAddress>`${metadata.contractAddress}`,
        tokenId: sql<string>`${metadata.tokenId}`,
        chainId: metadata.chainId,
        document: metadata.standardFields,
        isStanding: isStanding(metadata.contractAddress, metadata.tokenId),
        ...issuanceColumns,
      })
      .from(metadata)
      .innerJoin(contracts, eq(contracts.contractAddress, metadata.contractAddress))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, contracts.corporateAccountId))
      .leftJoin(forwarders, isForwarderOf)
      .where(and(sql`${metadata.id} in (${candidates})`, eq(contracts.contractType, 'certificate')))
      .orderBy(sql`${corporateAccounts.issuerConfirmedAt} is null`, desc(metadata.linkedAt), desc(metadata.id))
      .limit(MAX_CERTIFICATES),
  );
  return found.map((one) => ({ ...one, issuer: issuerOf(one) }));
}
