import { recordIdParams } from '../../core/fields.ts';
import { versionsQuery } from '../../core/version-paging.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { ifMatchHeaders, versionIn } from '../../http/if-match.ts';
import { jsonBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { collectionInput } from './collection-document.ts';
import {
  collectionReplySchema,
  collectionVersionsSchema,
  getCollectionMetadata,
  listCollectionVersions,
  replaceCollectionMetadata,
} from './collection-metadata.ts';

const tags = ['Contracts'];
const { middleware, request } = jsonBody(collectionInput);

export const collectionRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts/{id}/metadata',
      operationId: 'getCollectionMetadata',
      tags,
      summary: "Read the metadata of a contract's collection",
      description: 'As the account set it; 404 if it has not set any.',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: { ...jsonReply('The current version', collectionReplySchema), headers: replyHeaders('ETag') },
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const current = await getCollectionMetadata(tenantServices(c), c.req.valid('param').id);
      c.header('ETag', `"${current.version}"`);
      return c.json(current, 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'put',
      path: '/contracts/{id}/metadata',
      operationId: 'replaceCollectionMetadata',
      tags,
      summary: "Set the metadata of a contract's collection",
      description:
        'What marketplaces show about the collection, in the fields of ERC-7572; omitted fields are removed. The public document at `contractURI()` changes too, if that leads to this service. Repeating the same content makes no version. 409 for a forwarder.',
      scope: 'metadata',
      middleware,
      request: {
        params: recordIdParams,
        headers: ifMatchHeaders(
          'The version you replace, as in the ETag of GET /contracts/{id}/metadata; required once there is one. 412 if it is not the current one',
          false,
        ),
        ...request,
      },
      responses: {
        200: { ...jsonReply('The current version', collectionReplySchema), headers: replyHeaders('ETag') },
        ...errorReplies(400, 401, 403, 404, 409, 412, 413, 428),
      },
    }),
    async (c) => {
      const version = versionIn(c.req.valid('header')['if-match']);
      const { id } = c.req.valid('param');
      const current = await replaceCollectionMetadata(tenantServices(c), id, { version, input: c.req.valid('json') });
      c.header('ETag', `"${current.version}"`);
      return c.json(current, 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts/{id}/metadata/versions',
      operationId: 'listCollectionMetadataVersions',
      tags,
      summary: "List all versions of a collection's metadata, newest first",
      scope: 'read',
      request: { params: recordIdParams, query: versionsQuery },
      responses: {
        200: jsonReply('A page', collectionVersionsSchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const { id } = c.req.valid('param');
      return c.json(await listCollectionVersions(tenantServices(c), id, c.req.valid('query')), 200);
    },
  );
