import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { pageSchema } from '../../core/paging.ts';
import { recordIdParams } from '../../core/fields.ts';
import { creatingBody, jsonBody } from '../../http/json-body.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { createMetadata, metadataInput } from './create-metadata.ts';
import { getMetadata } from './get-metadata.ts';
import { listMetadata, metadataListQuery } from './list-metadata.ts';
import { metadataReply, metadataReplySchema } from './metadata-reply.ts';
import { setStatus, statusInput } from './set-status.ts';

/** Specification, Limits: metadata JSON input. */
const METADATA_BODY_BYTES = 512 * 1_024;

const statusBody = jsonBody(statusInput);

export const metadataRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'post',
      path: '/metadata',
      tags: ['Metadata'],
      summary: 'Create a metadata document',
      description: 'Stored, not yet bound to a token: a confirmed mint does that.',
      security: corporateSecurity,
      ...creatingBody(metadataInput, METADATA_BODY_BYTES),
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
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/metadata/{id}',
      tags: ['Metadata'],
      summary: 'Read a metadata document',
      description: 'As its account sees it. What the public sees of a minted token has an address of its own.',
      security: corporateSecurity,
      request: { params: recordIdParams },
      responses: {
        200: { description: 'The document', content: { 'application/json': { schema: metadataReplySchema } } },
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => c.json(metadataReply(await getMetadata(tenantServices(c), c.req.valid('param').id)), 200),
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/metadata/{id}/status',
      tags: ['Metadata'],
      summary: 'Set the status',
      description:
        'Written to currentStatus, utility.data.status and the Status trait at once, and served from then on. A certificate never changes: 409.',
      security: corporateSecurity,
      middleware: statusBody.middleware,
      request: { params: recordIdParams, ...statusBody.request },
      responses: {
        200: { description: 'The document', content: { 'application/json': { schema: metadataReplySchema } } },
        ...errorReplies(400, 401, 403, 404, 409, 413),
      },
    }),
    async (c) => {
      const metadata = await setStatus(tenantServices(c), c.req.valid('param').id, c.req.valid('json'));
      return c.json(metadataReply(metadata), 200);
    },
  );
