import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { idempotencyHeaders } from '../../http/idempotency.ts';
import { pageSchema } from '../../http/paging.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { createMetadata, metadataInput } from './create-metadata.ts';
import { listMetadata, metadataListQuery } from './list-metadata.ts';
import { metadataReply, metadataReplySchema } from './metadata-reply.ts';

/** Specification, Limits: metadata JSON input. */
export const METADATA_BODY_BYTES = 512 * 1_024;

export const metadataRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'post',
      path: '/metadata',
      tags: ['Metadata'],
      summary: 'Create a metadata document',
      description: 'Stored, not yet bound to a token: a confirmed mint does that.',
      security: corporateSecurity,
      request: {
        headers: idempotencyHeaders,
        body: { required: true, content: { 'application/json': { schema: metadataInput } } },
      },
      responses: {
        201: { description: 'The document', content: { 'application/json': { schema: metadataReplySchema } } },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const metadata = await createMetadata(tenantServices(c), c.req.valid('json'));
      return c.json(metadataReply(metadata), 201);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/metadata',
      tags: ['Metadata'],
      summary: 'List metadata documents, newest first',
      security: corporateSecurity,
      request: { query: metadataListQuery },
      responses: {
        200: { description: 'A page', content: { 'application/json': { schema: pageSchema(metadataReplySchema) } } },
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listMetadata(tenantServices(c), c.req.valid('query')), 200),
  );
