import { z } from 'zod';
import { mayUse } from '../../accounts/actor.ts';
import { corporateRoute } from '../../http/corporate-route.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { pageSchema } from '../../core/paging.ts';
import { recordIdParams } from '../../core/fields.ts';
import { bodiless, creatingBody, jsonBody } from '../../http/json-body.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { ifMatchHeaders, versionIn } from '../../http/if-match.ts';
import { createMetadata, metadataInput } from './create-metadata.ts';
import { METADATA_BYTES } from './document-texts.ts';
import { versionsQuery } from '../../core/version-paging.ts';
import { getMetadata, listMetadata, metadataListQuery, listVersions, versionsSchema } from './read-metadata.ts';
import { metadataReply, metadataReplySchema, statusReply, statusReplySchema } from './metadata-reply.ts';
import { editMetadata, freezeMetadata, metadataPatch, setStatus, statusInput } from './change-metadata.ts';
import {
  getStatusRules,
  replaceStatusRules,
  statusRulesInput,
  statusRulesQuery,
  statusRulesReplySchema,
} from './status-rules.ts';

const statusBody = creatingBody(statusInput);
const rulesBody = jsonBody(statusRulesInput);
const patchBody = jsonBody(metadataPatch, [], METADATA_BYTES);
const frozen = bodiless(recordIdParams);

const patchHeaders = ifMatchHeaders(
  'Required: the version you edit, as in the ETag of GET /metadata/{id}. 412 if it is not the current one',
  true,
);

export const metadataRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/metadata',
      operationId: 'createMetadata',
      tags: ['Metadata'],
      summary: 'Create a metadata document',
      description: 'Stored without a token. A confirmed mint links it to one.',
      scope: 'metadata',
      ...creatingBody(metadataInput, { maxBytes: METADATA_BYTES }),
      responses: {
        201: jsonReply('The document', metadataReplySchema),
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const metadata = await createMetadata(tenantServices(c), c.req.valid('json'));
      return c.json(metadataReply(metadata), 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/metadata',
      operationId: 'listMetadata',
      tags: ['Metadata'],
      summary: 'List metadata documents, newest first',
      description: 'A page has at most 4 MB of documents, and so may have fewer than `limit`.',
      scope: 'read',
      request: { query: metadataListQuery },
      responses: {
        200: jsonReply('A page', pageSchema(metadataReplySchema)),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listMetadata(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/metadata/status-rules',
      operationId: 'getStatusRules',
      tags: ['Metadata'],
      summary: 'Read the rules for statuses',
      scope: 'read',
      request: { query: statusRulesQuery },
      responses: {
        200: jsonReply('The rules', statusRulesReplySchema),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await getStatusRules(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'put',
      path: '/metadata/status-rules',
      operationId: 'replaceStatusRules',
      tags: ['Metadata'],
      summary: 'Replace the rules for statuses',
      description:
        'Which statuses documents of a type can have, and which may follow each. They apply to new documents and to every change from then on.',
      scope: 'metadata',
      middleware: rulesBody.middleware,
      request: { query: statusRulesQuery, ...rulesBody.request },
      responses: {
        200: jsonReply('The rules', statusRulesReplySchema),
        ...errorReplies(400, 401, 403, 413),
      },
    }),
    async (c) => {
      const rules = await replaceStatusRules(tenantServices(c), c.req.valid('query'), c.req.valid('json'));
      return c.json(rules, 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/metadata/{id}',
      operationId: 'getMetadata',
      tags: ['Metadata'],
      summary: 'Read a metadata document',
      description: 'The document as its account sees it. The public document of a minted token has its own route.',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: { ...jsonReply('The document', metadataReplySchema), headers: replyHeaders('ETag') },
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const metadata = await getMetadata(tenantServices(c), c.req.valid('param').id);
      c.header('ETag', `"${metadata.version}"`);
      return c.json(metadataReply(metadata), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/metadata/{id}/status',
      operationId: 'setMetadataStatus',
      tags: ['Metadata'],
      summary: 'Set the status',
      description:
        'Updates currentStatus, utility.data.status and the Status trait together, and the public document. With `expected`, or by the rules for statuses, one of several concurrent requests succeeds; the others are 409 with the currentStatus. A certificate never changes: 409. A key with neither of the scopes `metadata` and `read` gets `_id`, `currentStatus` and `version` alone.',
      scope: 'status',
      orScope: 'metadata',
      middleware: statusBody.middleware,
      request: { params: recordIdParams, ...statusBody.request },
      responses: {
        200: jsonReply('The document', z.union([metadataReplySchema, statusReplySchema])),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const metadata = await setStatus(services, c.req.valid('param').id, c.req.valid('json'));
      const maySee = mayUse(services.actor, { scope: 'read', orScope: 'metadata' });
      return c.json(maySee ? metadataReply(metadata) : statusReply(metadata), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'patch',
      path: '/metadata/{id}',
      operationId: 'editMetadata',
      tags: ['Metadata'],
      summary: 'Edit a metadata document',
      description:
        'A JSON Merge Patch (RFC 7396) of the body of POST /metadata: what it names is replaced, null removes a key, a list is replaced as a whole. Before and after the mint; the public document changes too. The document that results is validated. Its chain and utility.type stay, and a status changes only by the rules. 409 for a certificate and for a frozen document.',
      scope: 'metadata',
      middleware: patchBody.middleware,
      request: { params: recordIdParams, headers: patchHeaders, ...patchBody.request },
      responses: {
        200: { ...jsonReply('The document', metadataReplySchema), headers: replyHeaders('ETag') },
        ...errorReplies(400, 401, 403, 404, 409, 412, 413, 428),
      },
    }),
    async (c) => {
      const version = versionIn(c.req.valid('header')['if-match']);
      const { id } = c.req.valid('param');
      const metadata = await editMetadata(tenantServices(c), id, { version, patch: c.req.valid('json') });
      c.header('ETag', `"${metadata.version}"`);
      return c.json(metadataReply(metadata), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/metadata/{id}/freeze',
      operationId: 'freezeMetadata',
      tags: ['Metadata'],
      summary: 'Freeze a metadata document permanently',
      description: 'PATCH is 409 from then on. The status still changes by the rules. Repeating it changes nothing.',
      scope: 'metadata',
      ...frozen,
      responses: {
        200: jsonReply('The document', metadataReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => c.json(metadataReply(await freezeMetadata(tenantServices(c), c.req.valid('param').id)), 200),
  );

/** Before the public routes: a path with an id and the word "versions" has the form of a token's. */
export const metadataVersionRoutes = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/metadata/{id}/versions',
    operationId: 'listMetadataVersions',
    tags: ['Metadata'],
    summary: "List a document's earlier versions, newest first",
    description:
      'Each change of a document, its status included, keeps the version that it replaced. A page has at most 4 MB of documents, and so may have fewer than `limit`.',
    scope: 'read',
    request: { params: recordIdParams, query: versionsQuery },
    responses: {
      200: jsonReply('A page', versionsSchema),
      ...errorReplies(400, 401, 403, 404),
    },
  }),
  async (c) => {
    const page = await listVersions(tenantServices(c), c.req.valid('param').id, c.req.valid('query'));
    return c.json(page, 200);
  },
);
