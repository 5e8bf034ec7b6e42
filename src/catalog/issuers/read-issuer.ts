import type { ConfirmedIssuer } from '../../accounts/confirmed-issuer.ts';
import { notFound } from '../../core/domain-error.ts';
import type { Services } from '../../services.ts';
import { hasPublishedCode } from '../contracts/creation-call.ts';
import { findIssuer, type IssuerKey } from './issuers.store.ts';

/**
 * Who a wallet is that has issued certificates of a contract, as the operator has confirmed it.
 * @throws {DomainError} `not-found` if it is not confirmed, the contract is not one of its account, or is not known to
 *   have published code.
 */
export async function readIssuer(
  { db }: Pick<Services, 'db'>,
  key: IssuerKey,
): Promise<Omit<ConfirmedIssuer, 'publishesDid'> & { readonly confirmedAt: string }> {
  const found = await findIssuer(db, key);
  if (found !== undefined && !hasPublishedCode(found)) throw notFound('Confirmed issuer');
  const { name = null, logoUrl = null, domain = null, confirmedAt = null } = found ?? {};
  if (name === null || logoUrl === null || domain === null || confirmedAt === null) throw notFound('Confirmed issuer');
  return { name, logoUrl, domain, confirmedAt: confirmedAt.toISOString() };
}
