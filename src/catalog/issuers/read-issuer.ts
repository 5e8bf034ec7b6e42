import type { ConfirmedIssuer } from '../../accounts/confirmed-issuer.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Services } from '../../services.ts';
import { findIssuer, type IssuerKey } from './issuers.store.ts';

/**
 * Who a wallet is that has issued certificates of a contract, as the operator has confirmed it.
 * @throws {DomainError} `not-found` if it is not confirmed, or the contract is not one of its account.
 */
export async function readIssuer(
  { db }: Pick<Services, 'db'>,
  key: IssuerKey,
): Promise<Omit<ConfirmedIssuer, 'publishesDid'> & { readonly confirmedAt: string }> {
  const found = await findIssuer(db, key);
  const { name = null, logoUrl = null, domain = null, confirmedAt = null } = found ?? {};
  if (name === null || logoUrl === null || domain === null || confirmedAt === null) throw notFound('Confirmed issuer');
  return { name, logoUrl, domain, confirmedAt: confirmedAt.toISOString() };
}
