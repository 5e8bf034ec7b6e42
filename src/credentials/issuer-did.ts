import type { IssuerKey } from './issuer-keys.ts';

/** Who an account is to the public, as far as credentials say it; name, logo and domain are null, or none. */
export interface Issuer {
  /** What the public knows it by. */
  readonly id: string;
  readonly name: string | null;
  readonly logoUrl: string | null;
  readonly domain: string | null;
  /** Whether the operator has confirmed that the domain serves the DID document with the issuer's keys. */
  readonly publishesDid: boolean;
}

/** The DID of this service (did:web). @param origin Scheme and host at which it is served. */
function serviceDid(origin: string): string {
  return `did:web:${encodeURIComponent(new URL(origin).host)}`;
}

/** The DID of an issuer under this service: /issuers/{id}/did.json is its document. */
function hostedDid(origin: string, issuerId: string): string {
  return `${serviceDid(origin)}:issuers:${issuerId}`;
}

/** The DID of an issuer under a domain of its own. @param domain null: under this service. */
export function didUnder(origin: string, issuerId: string, domain: string | null): string {
  return domain === null ? hostedDid(origin, issuerId) : `did:web:${domain}`;
}

/** The domain whose DID issues; null if none serves the issuer's document: the DID under this service does. */
export function issuingDomain({ domain, publishesDid }: Issuer): string | null {
  return publishesDid ? domain : null;
}

export function issuingDid(origin: string, issuer: Issuer): string {
  return didUnder(origin, issuer.id, issuingDomain(issuer));
}

/** The verification method of a key in the DID document. */
export function methodOf(did: string, { publicKeyMultibase }: Pick<IssuerKey, 'publicKeyMultibase'>): string {
  return `${did}#${publicKeyMultibase}`;
}

/** The DID document of an issuer under this service. It has every key, so that earlier credentials still verify. */
export function issuerDocument(origin: string, issuerId: string, keys: readonly IssuerKey[]) {
  const id = hostedDid(origin, issuerId);
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id,
    controller: serviceDid(origin),
    verificationMethod: keys.map(({ publicKeyMultibase }) => ({
      id: methodOf(id, { publicKeyMultibase }),
      type: 'Multikey',
      controller: id,
      publicKeyMultibase,
    })),
    assertionMethod: keys.map((key) => methodOf(id, key)),
  };
}

/** The DID document of this service: it controls the DIDs of its issuers, and signs nothing itself. */
export function serviceDocument(origin: string) {
  const id = serviceDid(origin);
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id,
    service: [{ id: `${id}#certificates`, type: 'LinkedDomains', serviceEndpoint: origin }],
  };
}
