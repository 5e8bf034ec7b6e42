import { checkUrl, credentialUrl } from './certificate-credential.ts';
import type { findCertificatesOf } from './products.store.ts';

export type ProductCertificate = Awaited<ReturnType<typeof findCertificatesOf>>[number];

/** A link of a linkset (RFC 9264). */
interface Target {
  readonly href: string;
  readonly title: string;
  readonly type: string;
}

/** Where the link types of GS1 are defined. */
const VOCABULARY = 'https://ref.gs1.org/voc/';

/** The types of links that are given, as GS1 names them: https://ref.gs1.org/voc/?show=linktypes. */
const LINK_TYPES = ['defaultLink', 'defaultLinkMulti', 'certificationInfo', 'pip'] as const;
type LinkType = (typeof LINK_TYPES)[number];
type Links = Readonly<Partial<Record<LinkType, readonly Target[]>>>;

/** A link type from a request: `gs1:pip`, or its whole URL. @returns undefined for one that is never given. */
export function linkTypeOf(text: string): LinkType | undefined {
  const name = text.replace(/^gs1:/, '').replace(VOCABULARY, '');
  return LINK_TYPES.find((type) => type === name);
}

/**
 * The links of a product: the certificates that stand, and, if exactly one issuer that the operator has confirmed has
 * issued any, the page that checks its newest one, even if that is revoked, and its page about the product.
 */
export function linksOf(origin: string, certificates: readonly ProductCertificate[]): Links {
  const standing = certificates.filter((certificate) => certificate.isStanding);
  const chosen = chosenOf(certificates);
  const about = chosen?.document.external_url;
  return {
    ...(chosen === undefined
      ? {}
      : {
          defaultLink: [checkLink(origin, chosen)],
          // By what the caller accepts.
          defaultLinkMulti: [checkLink(origin, chosen), credentialLink(origin, chosen)],
        }),
    ...(standing.length === 0
      ? {}
      : { certificationInfo: standing.flatMap((one) => [checkLink(origin, one), credentialLink(origin, one)]) }),
    ...(chosen === undefined || about === undefined || !about.startsWith('https://')
      ? {}
      : { pip: [{ href: about, title: chosen.document.name, type: 'text/html' }] }),
  };
}

/**
 * The linkset of a product (GS1-Conformant Resolver 1.2, section 6).
 * @param anchor Its GS1 Digital Link. @param itemDescription Its name.
 */
export function linksetOf(anchor: string, itemDescription: string, links: Links) {
  const named = Object.entries(links).map(([type, targets]) => [`${VOCABULARY}${type}`, targets]);
  return { linkset: [{ anchor, itemDescription, ...Object.fromEntries(named) }] };
}

/** The newest certificate that stands, or else the newest one, of the only issuer who is confirmed. */
function chosenOf(certificates: readonly ProductCertificate[]): ProductCertificate | undefined {
  const confirmed = certificates.filter(({ issuer }) => issuer.domain !== null);
  if (new Set(confirmed.map(({ issuer }) => issuer.id)).size !== 1) return undefined;
  return confirmed.find((certificate) => certificate.isStanding) ?? confirmed[0];
}

function checkLink(origin: string, certificate: ProductCertificate): Target {
  return { href: checkUrl(origin, certificate), title: certificate.document.name, type: 'text/html' };
}

function credentialLink(origin: string, certificate: ProductCertificate): Target {
  return { href: credentialUrl(origin, certificate), title: certificate.document.name, type: 'application/vc' };
}
