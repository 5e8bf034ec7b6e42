import { z } from 'zod';
import { keyInput } from './key-input.ts';
import { recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { creatingBody, deletion } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { keyResourcesSchema } from './key-resources-reply.ts';
import { createKey, getKeyResources, keyListQuery, listKeys, revokeKey } from './manage-keys.ts';
import { keyReply, keyReplySchema, newKeyReplySchema } from './key-reply.ts';

const tags = ['Keys'];

const familyQuery = z.object({
  descendants: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true: also the keys that it created, and their descendants' }),
});

export const keyRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/keys',
      operationId: 'createKey',
      tags,
      summary: 'Create a key',
      description: 'Only this reply has the key itself. A key cannot create a more powerful key.',
      scope: 'keys',
      rateClass: 'deploy',
      ...creatingBody(keyInput),
      responses: {
        200: jsonReply('An earlier attempt of the same request created it: without the key itself', newKeyReplySchema),
        201: jsonReply('The key', newKeyReplySchema),
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const { key, secret } = await createKey(tenantServices(c), c.req.valid('json'));
      const withoutSecret = { ...keyReply(key), key: null };
      if (secret === undefined) return c.json(withoutSecret, 200);
      c.set('replay', { statusCode: 200, body: JSON.stringify(withoutSecret) });
      return c.json({ ...withoutSecret, key: secret }, 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/keys',
      operationId: 'listKeys',
      tags,
      summary: 'List keys, newest first',
      description: 'Without revoked keys. A key sees those of its own kind.',
      scope: 'keys',
      request: { query: keyListQuery },
      responses: {
        200: jsonReply('A page', pageSchema(keyReplySchema)),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listKeys(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/keys/{id}/resources',
      operationId: 'getKeyResources',
      tags,
      summary: 'Read what outlives a key',
      description:
        'What was made with the key, revoked or not, and works without it. `DELETE /keys/{id}?endResources=true` ends it, but for collection metadata, which `PUT /contracts/{id}/metadata` replaces. The audit log has all that a key has done.',
      scope: 'keys',
      request: { params: recordIdParams, query: familyQuery },
      responses: { 200: jsonReply('What outlives it', keyResourcesSchema), ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => {
      const family = { id: c.req.valid('param').id, withDescendants: c.req.valid('query').descendants === 'true' };
      return c.json(await getKeyResources(tenantServices(c), family), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'delete',
      path: '/keys/{id}',
      operationId: 'revokeKey',
      tags,
      summary: 'Revoke a key',
      description: 'Within two seconds it is rejected everywhere. Revoking it again changes nothing.',
      scope: 'keys',
      middleware: deletion(),
      request: {
        params: recordIdParams,
        query: familyQuery.extend({
          endResources: z.enum(['true', 'false']).default('false').meta({
            description:
              'true: also cancels the claims, deletes the webhook endpoints and unregisters the contracts of GET /keys/{id}/resources, also of a key that was revoked before',
          }),
        }),
      },
      responses: { 204: { description: 'The key is revoked' }, ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => {
      const { descendants, endResources } = c.req.valid('query');
      const family = { id: c.req.valid('param').id, withDescendants: descendants === 'true' };
      await revokeKey(tenantServices(c), family, endResources === 'true');
      return c.body(null, 204);
    },
  );
