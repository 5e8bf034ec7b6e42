import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { recordIdParams } from '../../core/fields.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { bodiless, jsonBody } from '../../http/json-body.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { METADATA_BYTES } from './create-metadata.ts';
import { editMetadata, metadataPatch } from './edit-metadata.ts';
import { freezeMetadata } from './freeze-metadata.ts';
import { listVersions, versionsQuery, versionsSchema } from './list-versions.ts';
import { metadataReply, metadataReplySchema } from './metadata-reply.ts';

const patchBody = jsonBody(metadataPatch, [], METADATA_BYTES);
const frozen = bodiless(recordIdParams);

/** An ETag of a document. A proxy that compresses replies makes it weak. */
const VERSION_TAG = /^(?:W\/)?"([1-9]\d{0,8})"$/;

const patchHeaders = z.object({
  'if-match': z.string().optional().meta({
    pattern: VERSION_TAG.source,
    description:
      'Required: the version that is edited, as in the ETag of GET /metadata/{id}. 412 if it is not the current one',
    example: '"1"',
  }),
});

export const metadataEditRoutes = createRouter()
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
      summary: 'End the editing of a metadata document for good',
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

/** The version in If-Match. */
function versionIn(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = VERSION_TAG.exec(ifMatch) ?? [];
  if (version === undefined) {
    throw invalidInput([
      { path: 'If-Match', message: 'must be one ETag of the document, such as "1"', code: 'invalid_format' },
    ]);
  }
  return Number(version);
}
