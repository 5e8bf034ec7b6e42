import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { cors } from 'hono/cors';
import { etag } from 'hono/etag';
import { isAddress } from 'viem';
import type { Address } from 'viem';
import { lowerCase } from '../../chain/lower-case.ts';
import { missing } from '../../http/domain-error.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { tokenIdField } from '../../http/fields.ts';
import { createRouter } from '../../http/router.ts';
import { publicDocumentSchema } from './metadata-reply.ts';
import { publicDocument } from './public-document.ts';

/** `{id}` of an ERC-1155 `uri`: the token id as 64 hex digits. A decimal of 64 digits looks the same and means this. */
const TOKEN_ID_HEX = /^[0-9a-f]{64}$/i;

const params = z.object({
  contractAddress: z
    .string()
    .refine((value): value is Address => isAddress(value, { strict: false }), 'must be an address')
    .transform(lowerCase)
    .meta({ description: 'In any case' }),
  tokenId: z
    .string()
    .transform((value) => (TOKEN_ID_HEX.test(value) ? BigInt(`0x${value}`).toString() : value))
    .pipe(tokenIdField)
    .meta({ type: 'string', description: 'Decimal, or 64 hex digits' }),
});

export const publicMetadataRoutes = createRouter();

publicMetadataRoutes.use(
  '/metadata/:contractAddress/:tokenId',
  cors({ origin: '*', allowMethods: ['GET', 'HEAD'], exposeHeaders: ['ETag'], maxAge: 86_400 }),
  etag(),
);

publicMetadataRoutes.openapi(
  createRoute({
    method: 'get',
    path: '/metadata/{contractAddress}/{tokenId}',
    tags: ['Metadata'],
    summary: "Read a token's public metadata",
    description: 'Public. The token URI of a contract with the base URI of this service points here.',
    request: { params },
    responses: {
      200: { description: 'The document', content: { 'application/json': { schema: publicDocumentSchema } } },
      304: { description: 'Unchanged since the ETag in If-None-Match' },
      ...errorReplies(400, 404),
    },
  }),
  async (c) => {
    const { contractAddress, tokenId } = c.req.valid('param');
    const document = await publicDocument(c.get('services'), contractAddress, tokenId);
    if (document === undefined) throw missing('Token metadata');
    return c.newResponse(document.body, 200, document.headers);
  },
);
