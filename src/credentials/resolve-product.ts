import { notFound } from '../core/domain-error.ts';
import type { Services } from '../services.ts';
import { gtinForms } from './gtin.ts';
import { linksetOf, linksOf, linkTypeOf } from './linkset.ts';
import { findCertificatesOf } from './products.store.ts';

interface Asked {
  /** Valid, in any of its lengths. */
  readonly gtin: string;
  readonly serial: string;
  /** `all` or `linkset`; the type of a link; undefined: the default link. */
  readonly linkType: string | undefined;
  /** Whether the caller reads linksets. */
  readonly acceptsLinkset: boolean;
}

/**
 * Resolves the GS1 Digital Link of a product.
 * @param origin Scheme and host of this service.
 * @returns where the link leads; the linkset if that was asked for; or, with `isAmbiguous`, if no link is the default.
 * @throws {DomainError} `not-found` if no certificate names the product, or none has a link of this type.
 */
export async function resolveProduct(
  { db }: Pick<Services, 'db'>,
  origin: string,
  { gtin, serial, linkType, acceptsLinkset }: Asked,
) {
  const gtins = gtinForms(gtin);
  const certificates = await findCertificatesOf(db, { gtins, serial });
  if (certificates.length === 0) throw notFound('Product');
  const links = linksOf(origin, certificates);
  const linkset = linksetOf(`${origin}/01/${gtins[0]}/21/${encodeURIComponent(serial)}`, links);
  if (linkType === 'all' || linkType === 'linkset' || (linkType === undefined && acceptsLinkset)) {
    return { linkset, isAmbiguous: false };
  }
  const type = linkType === undefined ? 'defaultLink' : linkTypeOf(linkType);
  const [target] = (type && links[type]) ?? [];
  if (target !== undefined) return { location: target.href };
  if (linkType === undefined) return { linkset, isAmbiguous: true };
  throw notFound('Link of this type');
}
