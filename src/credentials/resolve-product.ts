import { notFound } from '../core/domain-error.ts';
import type { Services } from '../services.ts';
import type { Identified } from './digital-link.ts';
import { gtinForms } from './gtin.ts';
import { linksetOf, linksOf, linkTypeOf } from './linkset.ts';
import { findCertificatesOf } from './products.store.ts';

interface Asked extends Identified {
  /** From the query: `linkType`, and what is passed on. */
  readonly query: URLSearchParams;
  /** How much the caller likes a media type, 0 to 1 (the `q` of RFC 9110). */
  readonly quality: (mediaType: string) => number;
}

/**
 * Resolves the GS1 Digital Link of an item. It does not walk up to the product: a certificate is one item's, and whoever
 * looks at an item that has none must not be shown another's.
 * @param origin Scheme and host of this service.
 * @returns the link, without its query, and either where it leads or the linkset, with `isAmbiguous` if that was not
 *   asked for but no link is the default.
 * @throws {DomainError} `not-found` if no certificate names the product, or none has a link of this type.
 */
export async function resolveProduct(
  { db }: Pick<Services, 'db'>,
  origin: string,
  { gtin, serial, query, quality }: Asked,
) {
  const gtins = gtinForms(gtin);
  const certificates = serial === undefined ? [] : await findCertificatesOf(db, { gtins, serial });
  const [newest] = certificates;
  if (newest === undefined || serial === undefined) throw notFound('Product');
  const anchor = `${origin}/01/${gtins[0]}/21/${encodeURIComponent(serial)}`;
  const links = linksOf(origin, certificates);
  const linkset = linksetOf(anchor, newest.document.name, links);
  const linkType = query.get('linkType') ?? undefined;
  if (
    linkType === 'linkset' ||
    linkType === 'all' ||
    (linkType === undefined && quality(LINKSET) > quality('text/html'))
  ) {
    return { anchor, linkset, isAmbiguous: false };
  }
  const type = linkType === undefined ? 'defaultLinkMulti' : linkTypeOf(linkType);
  // The one that the caller likes best, and the first one among equals.
  const targets = (type && links[type]) ?? [];
  const [target] = targets.toSorted((one, other) => quality(other.type) - quality(one.type));
  if (target !== undefined) return { anchor, location: withQuery(target.href, query) };
  if (linkType === undefined) return { anchor, linkset, isAmbiguous: true };
  throw notFound('Link of this type');
}

/** The media type of a linkset in JSON (RFC 9264). */
export const LINKSET = 'application/linkset+json';

/** What is for the resolver stays with it; the rest is passed on, behind the target's own query, which stays as it is. */
function withQuery(href: string, query: URLSearchParams): string {
  const passed = new URLSearchParams([...query].filter(([name]) => name !== 'linkType')).toString();
  if (passed === '') return href;
  const url = new URL(href);
  url.search = url.search === '' ? `?${passed}` : `${url.search}&${passed}`;
  return url.href;
}
