import { notFound } from '../core/domain-error.ts';
import type { SystemDb } from '../platform/database/client.ts';
import type { Settings } from '../platform/env.ts';
import { certificateCredential, isBadge } from './certificate-credential.ts';
import {
  findCertificate,
  findEndedNumbers,
  findIssuerLists,
  takeStatusNumber,
  type CertificateKey,
} from './certificates.store.ts';
import { didUnder, issuerDocument, issuingDid } from './issuer-did.ts';
import { issuerKeys } from './issuer-keys.ts';
import { signCredential } from './sign-credential.ts';
import { LIST_BITS, statusListCredential, type StatusList } from './status-list.ts';

interface Dependencies {
  readonly db: SystemDb;
  readonly settings: Pick<Settings, 'CREDENTIAL_SECRETS'>;
}

/**
 * The signed credential of a certificate. It stays the same when the certificate is revoked: its bit tells.
 * @param origin Scheme and host of this service.
 * @throws {DomainError} `not-found` if this service has not issued it, or its mint is not CONFIRMED; or if the service
 *   issues no credentials.
 */
export async function readCredential({ db, settings }: Dependencies, origin: string, certificate: CertificateKey) {
  const found = await findCertificate(db, certificate);
  if (found === undefined) throw notFound('Certificate');
  const { accountId, issuer } = found;
  const [key] = await issuerKeys(settings, issuer.id);
  const statusNumber = found.statusNumber ?? (await takeStatusNumber(db, accountId, certificate));
  const credential = certificateCredential(origin, { ...certificate, ...found, statusNumber });
  const signed = await signCredential(credential, issuingDid(origin, issuer), key);
  // The JSON Schema of Open Badges 3.0 takes a list of proofs alone.
  return isBadge(signed) ? { ...signed, proof: [signed.proof] } : signed;
}

/**
 * One of an issuer's status lists, signed. The bits are those of the orders that are CONFIRMED now: a reorganization
 * that undoes a revocation clears its bit.
 * @throws {DomainError} `not-found` if no certificate has a place in it, or the issuer never had a DID under the
 *   domain.
 */
export async function readStatusList({ db, settings }: Dependencies, origin: string, list: StatusList) {
  const { issuerId, domain } = list;
  const found = await findIssuerLists(db, issuerId);
  const start = list.number * LIST_BITS;
  if (found === undefined || found.highest === null || found.highest < start) throw notFound('Status list');
  const { accountId, domains } = found;
  if (domain !== null && !domains.includes(domain)) throw notFound('Status list');
  const [key] = await issuerKeys(settings, issuerId);
  const ended = await findEndedNumbers(db, accountId, start, start + LIST_BITS);
  const credential = await statusListCredential(
    origin,
    list,
    ended.map((number) => number - start),
  );
  return await signCredential(credential, didUnder(origin, issuerId, domain), key);
}

/**
 * The DID document of an issuer.
 * @throws {DomainError} `not-found` if there is no such issuer, or the service issues no credentials.
 */
export async function readIssuerDocument({ db, settings }: Dependencies, origin: string, issuerId: string) {
  const keys = await issuerKeys(settings, issuerId);
  if ((await findIssuerLists(db, issuerId)) === undefined) throw notFound('Credential issuer');
  return issuerDocument(origin, issuerId, keys);
}
