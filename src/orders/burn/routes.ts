import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody, jsonBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { preparationDescription, preparedRequestSchema } from '../../relay/prepare-request.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptBurn, burnInput, burnPreparationInput, prepareBurn } from './accept-burn.ts';
import { burnKind, burnReply, burnReplySchema } from './burn-kind.ts';

const tags = ['Gasless transfer'];

export const burnRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/burn/prepare',
      operationId: 'prepareBurn',
      tags,
      summary: 'Prepare a burn for its holder to sign',
      description: preparationDescription('POST /burn/execute'),
      scope: 'transfer',
      rateClass: 'read',
      ...jsonBody(burnPreparationInput),
      responses: {
        200: jsonReply('The data to sign', preparedRequestSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 502),
      },
    }),
    async (c) => c.json(await prepareBurn(tenantServices(c), c.req.valid('json')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/burn/execute',
      operationId: 'executeBurn',
      tags,
      summary: 'Execute a burn that its holder signed',
      description:
        "The account's wallet pays. Accepted at once with status PENDING and executed at most once, however often the same signed request is posted. Poll it, or wait for burn.confirmed. What is burned cannot be restored. The public metadata of a token of which nothing is left is 404; that of a certificate stays.",
      scope: 'transfer',
      rateClass: 'relay',
      ...creatingBody(burnInput),
      responses: {
        200: jsonReply('The same signed request was accepted before: the current state of its order', burnReplySchema),
        201: jsonReply('The order, PENDING', burnReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const { order, isNew } = await acceptBurn(tenantServices(c), c.req.valid('json'));
      return c.json(burnReply(order), isNew ? 201 : 200);
    },
  )
  .route(
    '/',
    readRoutes([burnKind], {
      one: 'a burn order',
      list: { many: 'burn orders', parties: { from: 'Only of this holder' } },
    }),
  );
