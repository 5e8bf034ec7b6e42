import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { cors } from 'hono/cors';
import { RETAINED_304_HEADERS, etag } from 'hono/etag';
import { isAddress } from 'viem';
import type { Address } from 'viem';
import { DomainError, notFound } from '../../core/domain-error.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { limitAddress } from '../../http/address-limit.ts';
import { createRouter } from '../../http/router.ts';
import { publicDocumentSchema } from './metadata-reply.ts';
import { publicDocument } from './public-document.ts';
import { tokenIdsOf } from './token-ids-of.ts';

const params = z.object({
  contractAddress: z
    .string()
    .toLowerCase()
    .refine((value): value is Address => isAddress(value, { strict: false }), 'must be an address')
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
  cors({ origin: '*', allowMethods: ['GET', 'HEAD'], exposeHeaders: ['ETag'], maxAge: 86_400 }),
  etag({
    retainedHeaders: [...RETAINED_304_HEADERS, 'access-control-allow-origin', 'access-control-expose-headers'],
  }),
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
      200: { ...jsonReply('The document', publicDocumentSchema), headers: replyHeaders('ETag', 'Cache-Control') },
      304: {
        description: 'Unchanged since the ETag in If-None-Match',
        headers: replyHeaders('ETag', 'Cache-Control'),
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
