import { createRoute } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { parseAccept } from 'hono/utils/accept';
import { z } from 'zod';
import { invalidInput } from '../core/domain-error.ts';
import { contractAddressField, tokenIdField } from '../core/fields.ts';
import { limitAddress } from '../http/rate-limit.ts';
import type { AppEnv } from '../http/app-env.ts';
import { replyHeaders } from '../http/api-document.ts';
import { errorReplies, REFUSED_EARLY } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { fromAnySite } from '../http/reply-headers.ts';
import { createRouter } from '../http/router.ts';
import { parseDigitalLink, QUALIFIER, type Identified } from './digital-link.ts';
import { isGtin } from './gtin.ts';
import { serviceDocument } from './issuer-did.ts';
import { readCredential, readIssuerDocument, readStatusList } from './read-credentials.ts';
import {
  credentialSchema,
  issuerDocumentSchema,
  linksetSchema,
  resolverSchema,
  serviceDocumentSchema,
  statusListSchema,
} from './reply-schemas.ts';
import { LINKSET, resolveProduct } from './resolve-product.ts';
import { resolverDescription } from './resolver-description.ts';

/** How long a revocation may be missing from a list. */
const STATUS_SECONDS = 60;
/** How long a name may be shown after it was withdrawn. */
const CREDENTIAL_SECONDS = 60;
/** How long a new key may be missing. */
const KEYS_SECONDS = 300;

const tags = ['Credentials'];
const publicFor = (seconds: number) => `public, max-age=${seconds}`;

/**
 * Scheme and host of this service, by METADATA_BASE_URI where that is set: ids of credentials and issuers do not depend
 * on the name or the scheme by which somebody reaches it.
 */
function originOf({ var: { services }, req }: Context<AppEnv>): string {
  return new URL(services.settings.METADATA_BASE_URI ?? req.url).origin;
}

const issuerIdField = z
  .uuid({ error: 'must be the id of an issuer: a UUID' })
  .meta({ description: 'Id of the issuer, as in its DID', example: '3f1c2b5e-7a4d-4f0e-9c8b-2d6e5f4a1b3c' });

const LIST = /^(0|[1-9]\d{0,4})(?:@([a-z0-9.-]{1,253}))?$/;
const listField = z
  .string()
  .regex(LIST, 'must be the number of a list')
  .transform((text) => {
    const [, number, domain = null] = LIST.exec(text) ?? [];
    return { number: Number(number), domain };
  })
  .meta({
    type: 'string',
    description:
      "Number of the list, from 0; for a DID under the issuer's own domain with that, such as `0@watches.example`",
    pattern: LIST.source,
    example: '0',
  });

const gtinField = z.string().refine(isGtin, 'must be a GTIN of 8, 12, 13 or 14 digits with its check digit').meta({
  description: 'GTIN of 8, 12, 13 or 14 digits, with its check digit',
  pattern: '^(\\d{8}|\\d{12,14})$',
  example: '09506000134352',
});

const serialField = z
  .string()
  .regex(QUALIFIER, 'must be a serial number of GS1: up to 20 characters')
  .meta({ description: 'Serial number, up to 20 characters of GS1', example: 'SN-0001' });

const METHODS = 'GET, HEAD, OPTIONS';

/** GS1 asks for them in every reply. */
const setMethods: MiddlewareHandler = async (c, next) => {
  await next();
  c.header('Access-Control-Allow-Methods', METHODS);
  if (c.req.method === 'OPTIONS') c.header('Allow', METHODS);
};

const NO_LINK =
  'must be a GS1 Digital Link: /01/, a GTIN with its check digit, and in this order /22/, /10/ and /21/, each with up to 20 characters of GS1';

const linkTypeQuery = z.looseObject({
  linkType: z.string().max(100).optional().meta({
    description:
      '`linkset` for all links, or the type of a link: gs1:defaultLink, gs1:certificationInfo, gs1:pip. `all` is the former name of `linkset`',
    example: 'linkset',
  }),
});

const linksetReply = (description: string) => ({
  description,
  content: { [LINKSET]: { schema: linksetSchema } },
});

/** Where GS1 says what the names in a linkset mean. */
const LINKSET_CONTEXT =
  '<https://ref.gs1.org/standards/resolver/linkset-context>; rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"';

async function resolve(c: Context<AppEnv>, identified: Identified) {
  await limitAddress(c, 'document');
  const { searchParams: query } = new URL(c.req.url);
  const accepted = parseAccept(c.req.header('accept') ?? '');
  const quality = (mediaType: string) =>
    (accepted.find(({ type }) => type === mediaType) ?? accepted.find(({ type }) => type === '*/*'))?.q ?? 0;
  const resolved = await resolveProduct(c.get('services'), originOf(c), { ...identified, query, quality });
  c.header('Vary', 'Accept');
  c.header('Link', `<${resolved.anchor}?linkType=linkset>; rel="linkset"; type="${LINKSET}"`);
  if (resolved.location !== undefined) return c.redirect(resolved.location, 307);
  c.header('Link', LINKSET_CONTEXT, { append: true });
  return c.json(resolved.linkset, resolved.isAmbiguous ? 300 : 200, { 'content-type': LINKSET });
}

const router = createRouter();
router.use('/certificates/:contractAddress/:tokenId/credential', fromAnySite);
router.use('/credentials/*', fromAnySite);
router.use('/issuers/:issuerId/did.json', fromAnySite);
router.use('/.well-known/did.json', fromAnySite);
router.use('/01/*', setMethods, fromAnySite);
router.use('/.well-known/gs1resolver', fromAnySite);

// Other forms of the link of a product: with other key qualifiers, or with a slash at its end. It stands before the
// documented form, which the log then names.
router.get('/01/*', async (c, next) => {
  const { pathname } = new URL(c.req.url);
  if (/^\/01\/[^/]*\/21\/[^/]+$/.test(pathname)) return await next();
  await limitAddress(c, 'route');
  const identified = parseDigitalLink(pathname);
  if (identified === undefined) throw invalidInput([{ path: '', message: NO_LINK }]);
  return await resolve(c, identified);
});

/** Certificates as verifiable credentials, and products that lead to them. Public. */
export const credentialRoutes = router
  .openapi(
    createRoute({
      method: 'get',
      path: '/certificates/{contractAddress}/{tokenId}/credential',
      operationId: 'getCredential',
      tags,
      summary: 'Read a certificate as a verifiable credential',
      description:
        'Public. A W3C Verifiable Credential 2.0, and an Open Badge 3.0 if the trait `Type` is an achievement type, signed by the issuer. It stays the same when the certificate is revoked or burned: then its bit in the status list is set. 404 for certificates that this service has not issued or whose mint is not CONFIRMED, and if the service issues no credentials.',
      security: [],
      request: { params: z.object({ contractAddress: contractAddressField, tokenId: tokenIdField }) },
      responses: {
        200: { ...jsonReply('The credential', credentialSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => {
      await limitAddress(c, 'document');
      const credential = await readCredential(c.get('services'), originOf(c), c.req.valid('param'));
      c.header('Cache-Control', publicFor(CREDENTIAL_SECONDS));
      return c.json(credential, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/credentials/status/{issuerId}/{list}',
      operationId: 'getStatusList',
      tags,
      summary: 'Read which certificates of an issuer are revoked',
      description:
        'Public. A Bitstring Status List, signed by the issuer. A bit is set while everything minted of the certificate was burned or revoked, by CONFIRMED orders or according to the index of transfers.',
      security: [],
      request: { params: z.object({ issuerId: issuerIdField, list: listField }) },
      responses: {
        200: { ...jsonReply('The list', statusListSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => {
      await limitAddress(c, 'document');
      const { issuerId, list } = c.req.valid('param');
      const credential = await readStatusList(c.get('services'), originOf(c), { issuerId, ...list });
      c.header('Cache-Control', publicFor(STATUS_SECONDS));
      return c.json(credential, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/issuers/{issuerId}/did.json',
      operationId: 'getIssuerDidDocument',
      tags,
      summary: 'Read the keys of an issuer',
      description:
        'Public. The DID document (did:web) of an issuer under this service, with the keys of its credentials.',
      security: [],
      request: { params: z.object({ issuerId: issuerIdField }) },
      responses: {
        200: { ...jsonReply('The DID document', issuerDocumentSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => {
      await limitAddress(c, 'document');
      const { issuerId } = c.req.valid('param');
      const document = await readIssuerDocument(c.get('services'), originOf(c), issuerId);
      c.header('Cache-Control', publicFor(KEYS_SECONDS));
      return c.json(document, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/.well-known/did.json',
      operationId: 'getServiceDidDocument',
      tags,
      summary: 'Read the DID document of the service',
      description: 'Public. The service controls the DIDs of its issuers, and signs nothing itself.',
      security: [],
      responses: {
        200: { ...jsonReply('The DID document', serviceDocumentSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(),
        ...REFUSED_EARLY,
      },
    }),
    (c) => {
      c.header('Cache-Control', publicFor(KEYS_SECONDS));
      return c.json(serviceDocument(originOf(c)), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/01/{gtin}/21/{serial}',
      operationId: 'resolveProduct',
      tags,
      summary: 'Find the certificate of a product',
      description:
        'Public. A GS1 Digital Link: of certificates whose traits `GTIN` and `Serial Number` name the product. It leads to the check of the certificate, or with `Accept: application/vc` to the credential, if exactly one issuer that the operator has confirmed has issued any; otherwise the reply is 300 with all links. The query is passed on. The key qualifiers `/22/` and `/10/` may stand before `/21/`, and are not looked at. 404 if no certificate names the product, or none has a link of this type.',
      security: [],
      request: { params: z.object({ gtin: gtinField, serial: serialField }), query: linkTypeQuery },
      responses: {
        200: linksetReply('All links (RFC 9264), for linkType=linkset and for Accept: application/linkset+json'),
        300: linksetReply('All links, as none is the default'),
        307: { description: 'Where the link leads, in Location; `Link` leads to the linkset' },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => await resolve(c, c.req.valid('param')),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/.well-known/gs1resolver',
      operationId: 'getResolverDescription',
      tags,
      summary: 'Read what the resolver of products supports',
      description: 'Public. The description file of a GS1-Conformant Resolver.',
      security: [],
      responses: {
        200: { ...jsonReply('The description', resolverSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(),
        ...REFUSED_EARLY,
      },
    }),
    (c) => {
      c.header('Cache-Control', publicFor(KEYS_SECONDS));
      return c.json(resolverDescription(originOf(c)), 200);
    },
  );
