import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { cors } from 'hono/cors';
import { isAddress } from 'viem';
import { DomainError, notFound } from '../../core/domain-error.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies, REFUSED_EARLY } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { limitAddress } from '../../http/rate-limit.ts';
import { fromAnySite, unlessKnown } from '../../http/reply-headers.ts';
import { createRouter } from '../../http/router.ts';
import { publicDocumentSchema } from './metadata-reply.ts';
import { publicDocument } from './public-document.ts';
import { tokenIdsOf } from './token-ids.ts';
import {
  SCHEMA_EXAMPLES,
  DEFAULT_SCHEMA_VERSION,
  SCHEMA_VERSIONS,
  UTILITY_TYPES,
  isSchemaVersion,
  schemaOf,
  typeOf,
} from './schemas.ts';

const params = z.object({
  contractAddress: z
    .string()
    .toLowerCase()
    .refine((value): value is LowerCaseAddress => isAddress(value, { strict: false }), 'must be an address')
    .meta({
      description: 'Address of the contract, in any letter case',
      pattern: '^0[xX][0-9a-fA-F]{40}$',
      example: '0x8ba1f109551bd432803012645ac136ddd64dba72',
    }),
  tokenId: z
    .string()
    .transform(tokenIdsOf)
    .refine((ids) => ids.length > 0, 'must be a token id: decimal without leading zeros, or 64 hex digits')
    .meta({
      type: 'string',
      description: 'Token id: decimal, or 64 hex digits',
      pattern: '^(0|[1-9]\\d{0,77}|[0-9a-fA-F]{64})$',
      example: '1',
    }),
});

export const publicMetadataRoutes = createRouter();

publicMetadataRoutes.use(
  // The pattern excludes /metadata/{id}/status, whose id is not an address.
  '/metadata/:contractAddress{0[xX][0-9a-fA-F]+}/:tokenId',
  fromAnySite,
  unlessKnown,
);

// A gate's page may be on any site. It sends a key and no cookie, so other sites can do no more than any program.
publicMetadataRoutes.use(
  '/metadata/:id{[0-9a-f]{24}}/status',
  cors({
    origin: '*',
    allowMethods: ['POST'],
    allowHeaders: ['content-type', 'idempotency-key', 'x-api-key'],
    maxAge: 86_400,
  }),
);

publicMetadataRoutes.openapi(
  createRoute({
    method: 'get',
    path: '/metadata/{contractAddress}/{tokenId}',
    operationId: 'getTokenMetadata',
    tags: ['Metadata'],
    summary: "Read a token's public metadata",
    description:
      'Public. Contracts with this service as their base URI have token URIs that point here. 404 if no token was minted, or if nothing is left of a token that was burned; a certificate stays, because its check needs the document.',
    security: [],
    request: { params },
    responses: {
      200: {
        ...jsonReply('The document', publicDocumentSchema),
        headers: replyHeaders('ETag', 'Cache-Control', 'Age'),
      },
      304: {
        description: 'Unchanged since the ETag in If-None-Match',
        headers: replyHeaders('ETag', 'Cache-Control', 'Age'),
      },
      ...errorReplies(400, 404, 429),
    },
  }),
  async (c) => {
    const { contractAddress, tokenId: tokenIds } = c.req.valid('param');
    let isGone = false;
    for (const tokenId of tokenIds) {
      const document = await publicDocument(c.get('services'), { contractAddress, tokenId }, (subject) =>
        limitAddress(c, subject),
      );
      if (typeof document !== 'string') return c.newResponse(document.body, 200, document.headers);
      isGone ||= document === 'gone';
    }
    // The token may be minted at any moment.
    c.header('cache-control', 'no-store');
    throw isGone
      ? new DomainError('not-found', 'The token was burned: nothing of it is left')
      : notFound('Token metadata');
  },
);

const SCHEMA_AGE_SECONDS = 3_600;
const tags = ['Metadata'];

const listSchema = z
  .object({
    items: z
      .array(
        z.object({
          schemaVersion: z.enum(SCHEMA_VERSIONS).meta({ description: 'Name and version of the schema' }),
          type: z.enum(UTILITY_TYPES).meta({ description: 'The utility.type that it is for' }),
          isDefault: z.boolean().meta({ description: 'Whether it applies to requests without schemaVersion' }),
          document: publicDocumentSchema.meta({ description: 'A valid document' }),
        }),
      )
      .meta({ description: 'All published schemas' }),
  })
  .meta({ id: 'MetadataSchemas' });

/** The schemas that metadata is validated with. Public. */
export const schemaRoutes = createRouter();

schemaRoutes.use('/schemas/*', cors({ origin: '*', allowMethods: ['GET', 'HEAD'] }), async (c, next) => {
  await next();
  if (c.res.ok) c.header('Cache-Control', `public, max-age=${SCHEMA_AGE_SECONDS}`);
});

schemaRoutes
  .openapi(
    createRoute({
      method: 'get',
      path: '/schemas',
      operationId: 'listMetadataSchemas',
      tags,
      summary: 'List the metadata schemas',
      description: 'Public. /docs/schemas shows them as tables.',
      security: [],
      responses: {
        200: { ...jsonReply('The schemas', listSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(),
        ...REFUSED_EARLY,
      },
    }),
    (c) => {
      const items = SCHEMA_VERSIONS.map((schemaVersion) => {
        const type = typeOf(schemaVersion);
        return {
          schemaVersion,
          type,
          isDefault: DEFAULT_SCHEMA_VERSION[type] === schemaVersion,
          document: SCHEMA_EXAMPLES[schemaVersion],
        };
      });
      return c.json({ items }, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/schemas/{schemaVersion}',
      operationId: 'getMetadataSchema',
      tags,
      summary: 'Read a metadata schema',
      description: 'Public. A published schema never changes. It describes the public document of a token.',
      security: [],
      request: {
        params: z.object({
          schemaVersion: z.string().meta({ description: 'Name and version of the schema', enum: [...SCHEMA_VERSIONS] }),
        }),
      },
      responses: {
        200: {
          ...jsonReply(
            'The schema (JSON Schema 2020-12)',
            z.record(z.string(), z.unknown()).meta({ id: 'JsonSchema' }),
          ),
          headers: replyHeaders('Cache-Control'),
        },
        ...errorReplies(404, 429),
      },
    }),
    async (c) => {
      const { schemaVersion } = c.req.valid('param');
      if (!isSchemaVersion(schemaVersion)) {
        await limitAddress(c, 'route');
        throw notFound('Schema');
      }
      return c.json({ ...schemaOf(schemaVersion) }, 200);
    },
  );
