import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { createMetadata, metadataInput } from './create-metadata.ts';
import { metadataReply, metadataReplySchema } from './metadata-reply.ts';

/** Specification, Limits: metadata JSON input. */
export const METADATA_BODY_BYTES = 512 * 1_024;

export const metadataRoutes = createRouter().openapi(
  createRoute({
    method: 'post',
    path: '/metadata',
    tags: ['Metadata'],
    summary: 'Create a metadata document',
    description: 'Stored, not yet bound to a token: a confirmed mint does that.',
    security: corporateSecurity,
    request: { body: { required: true, content: { 'application/json': { schema: metadataInput } } } },
    responses: {
      201: { description: 'The document', content: { 'application/json': { schema: metadataReplySchema } } },
      ...errorReplies(400, 401, 403, 413),
    },
  }),
  async (c) => {
    const metadata = await createMetadata(tenantServices(c), c.req.valid('json'));
    return c.json(metadataReply(metadata), 201);
  },
);
