import { eq, sql, type SQL } from 'drizzle-orm';
import type { ConfirmedIssuer } from '../accounts/confirmed-issuer.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { corporateAccounts } from '../platform/database/schema.ts';

const issuerColumns = {
  issuerName: corporateAccounts.issuerName,
  issuerLogoUrl: corporateAccounts.issuerLogoUrl,
  issuerDomain: corporateAccounts.issuerDomain,
  issuerConfirmedAt: corporateAccounts.issuerConfirmedAt,
  issuerPublishesDid: corporateAccounts.issuerPublishesDid,
};

export type StoredIssuer = Pick<typeof corporateAccounts.$inferSelect, keyof typeof issuerColumns>;

function withDomain(domain: string): SQL {
  const domains = corporateAccounts.issuerDidDomains;
  return sql`case when ${domain} = any(${domains}) then ${domains} else array_append(${domains}, ${domain}) end`;
}

/**
 * Stores who an account is to the public, by its `corporateId`.
 * @param issuer null: nobody.
 * @returns what is stored.
 */
export async function storeIssuer(
  db: SystemDb,
  corporateId: string,
  issuer: ConfirmedIssuer | null,
  now: Date,
): Promise<StoredIssuer | undefined> {
  const named = eq(corporateAccounts.corporateId, corporateId);
  const store = db.sql
    .update(corporateAccounts)
    .set({
      issuerName: issuer?.name ?? null,
      issuerLogoUrl: issuer?.logoUrl ?? null,
      issuerDomain: issuer?.domain ?? null,
      issuerConfirmedAt: issuer === null ? null : now,
      issuerPublishesDid: issuer?.publishesDid ?? false,
      ...(issuer?.publishesDid === true ? { issuerDidDomains: withDomain(issuer.domain) } : {}),
      updatedAt: now,
    })
    .where(named)
    .returning(issuerColumns);
  const { stored } = await runChange(db, { stored: store }, sql`select id from ${corporateAccounts} where ${named}`);
  return stored[0];
}
