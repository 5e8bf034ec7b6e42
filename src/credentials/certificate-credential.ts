import type { findCertificate, CertificateKey } from './certificates.store.ts';
import type { TokenDocument } from '../platform/database/schema.ts';
import { ACHIEVEMENT_TYPES } from './achievement-types.ts';
import { CREDENTIALS_V2, OPEN_BADGES, TOKEN_TERMS } from './contexts.ts';
import { issuingDid, type Issuer } from './issuer-did.ts';
import { statusEntry } from './status-list.ts';

/** A certificate with its place in the status lists of its issuer. */
export type IssuedCertificate = CertificateKey &
  NonNullable<Awaited<ReturnType<typeof findCertificate>>> & { readonly statusNumber: number };

/** The URL of a certificate's credential, which is also its id. */
export function credentialUrl(origin: string, { contractAddress, tokenId }: CertificateKey): string {
  return `${origin}/certificates/${contractAddress}/${tokenId}/credential`;
}

/** The URL of the page that checks a certificate. */
export function checkUrl(origin: string, certificate: CertificateKey & { readonly chainId: string }): string {
  const { contractAddress, tokenId, chainId } = certificate;
  return `${origin}/verify/${contractAddress}/${tokenId}?chainId=${chainId}`;
}

/**
 * The credential of a certificate, unsigned: the Verifiable Credentials Data Model 2.0, and an Open Badge 3.0 if its
 * trait `Type` is one of the {@link ACHIEVEMENT_TYPES}. It says what the chain says too, and does not name the holder:
 * the subject is the token, and who holds it the chain says.
 * @param origin Scheme and host of this service.
 */
export function certificateCredential(origin: string, certificate: IssuedCertificate) {
  const { document, issuer, issuedAt, statusNumber } = certificate;
  const achievementType = document.attributes.find(({ trait_type: name }) => name === 'Type')?.value;
  const isAchievement = ACHIEVEMENT_TYPES.has(achievementType);
  const validUntil = endOf(document);
  return {
    '@context': [CREDENTIALS_V2, ...(isAchievement ? [OPEN_BADGES] : []), isAchievement ? BADGE_TERMS : TOKEN_TERMS],
    id: credentialUrl(origin, certificate),
    type: ['VerifiableCredential', ...(isAchievement ? [OPEN_BADGE] : [])],
    name: document.name,
    issuer: isAchievement ? badgeProfile(origin, issuer) : issuerOf(origin, issuer),
    validFrom: issuedAt.toISOString(),
    ...(validUntil === undefined ? {} : { validUntil }),
    credentialSubject: isAchievement
      ? badgeSubject(origin, certificate, String(achievementType))
      : { id: tokenIri(certificate), ...textsOf(document), ...pictureOf(document), token: tokenOf(certificate) },
    // The document, by the same hash as on the chain.
    relatedResource: [{ id: documentUrl(certificate), digestSRI: integrityOf(certificate.metadataHash) }],
    credentialStatus: statusEntry(origin, issuer, statusNumber),
  };
}

const OPEN_BADGE = 'OpenBadgeCredential';

/** Whether a credential is an Open Badge. */
export function isBadge({ type }: { readonly type: readonly string[] }): boolean {
  return type.includes(OPEN_BADGE);
}

const { image: _, ...BADGE_TERMS } = TOKEN_TERMS;

function issuerOf(origin: string, issuer: Issuer) {
  return { id: issuingDid(origin, issuer), ...(issuer.name === null ? {} : { name: issuer.name }) };
}

function badgeProfile(origin: string, issuer: Issuer) {
  const { domain, logoUrl } = issuer;
  return {
    ...issuerOf(origin, issuer),
    type: ['Profile'],
    ...(domain === null ? {} : { url: `https://${domain}` }),
    ...(isIri(logoUrl) ? { image: { id: logoUrl, type: 'Image' } } : {}),
  };
}

function badgeSubject(origin: string, certificate: IssuedCertificate, achievementType: string) {
  const { document } = certificate;
  const { image } = pictureOf(document);
  const about = document.external_url;
  return {
    id: tokenIri(certificate),
    type: ['AchievementSubject'],
    achievement: {
      id: `${documentUrl(certificate)}#achievement`,
      type: ['Achievement'],
      achievementType,
      name: document.name,
      description: document.description ?? document.name,
      criteria: { id: isIri(about) ? about : checkUrl(origin, certificate) },
      ...(image === undefined ? {} : { image: { id: image, type: 'Image' } }),
    },
    token: tokenOf(certificate),
  };
}

function textsOf({ name, description }: TokenDocument) {
  return { name, ...(description === undefined ? {} : { description }) };
}

function pictureOf({ image }: TokenDocument): { readonly image?: string } {
  return isIri(image) ? { image } : {};
}

function tokenOf({ chainId, contractAddress, tokenId, metadataHash }: IssuedCertificate) {
  return { chainId, contractAddress, tokenId, metadataHash };
}

/** A token as an IRI, by CAIP-19. */
function tokenIri({ chainId, ercStandard, contractAddress, tokenId }: IssuedCertificate): string {
  return `eip155:${chainId}/erc${ercStandard}:${contractAddress}/${tokenId}`;
}

/** Where the chain says that the document is. */
function documentUrl({ tokenUri, tokenId }: IssuedCertificate): string {
  return tokenUri.replaceAll('{id}', BigInt(tokenId).toString(16).padStart(64, '0'));
}

/** A SHA-256 in the form of Subresource Integrity. */
function integrityOf(hash: string): string {
  const bytes = (hash.slice(2).match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16)));
  return `sha256-${btoa(bytes.join(''))}`;
}

/** Years of more than four digits have another form. */
const YEAR_10000 = Date.UTC(10_000, 0);
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Until when a certificate is valid, if `valid_until` is a moment: Unix time in seconds, or a date with time and zone.
 */
function endOf({ utility }: TokenDocument): string | undefined {
  const { valid_until: end } = utility.data;
  const moment = typeof end === 'number' ? end * 1_000 : DATE_TIME.test(String(end)) ? Date.parse(String(end)) : NaN;
  return moment >= 0 && moment < YEAR_10000 ? new Date(moment).toISOString() : undefined;
}

/** Whether a text may stand for a resource in RDF (RFC 3987): absolute, and nothing in it ends it. */
function isIri(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^[a-z][a-z\d+.-]*:[^\s\p{C}<>"{}|\\^`]+$/iu.test(text);
}
