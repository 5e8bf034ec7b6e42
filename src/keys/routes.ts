import { z } from 'zod';
import { keyInput } from '../accounts/key-input.ts';
import { recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { creatingBody, deletion } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { createKey, keyListQuery, listKeys, revokeKey } from './manage-keys.ts';
import { keyReply, keyReplySchema, newKeyReplySchema } from './key-reply.ts';

const tags = ['Keys'];

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
        query: z.object({
          descendants: z
            .enum(['true', 'false'])
            .default('false')
            .meta({ description: 'true: also the keys that it created, and their descendants' }),
        }),
      },
      responses: { 204: { description: 'The key is revoked' }, ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => {
      const { descendants } = c.req.valid('query');
      await revokeKey(tenantServices(c), c.req.valid('param').id, descendants === 'true');
      return c.body(null, 204);
    },
  );
