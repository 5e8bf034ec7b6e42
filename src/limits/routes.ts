import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { getLimits, limitsSchema } from './limits.ts';

export const limitsRoutes = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/limits',
    operationId: 'getLimits',
    tags: ['Account'],
    summary: "Read the account's limits",
    description: 'Set by the operator. Includes current usage.',
    scope: 'read',
    responses: {
      200: jsonReply('The limits; null if there is none', limitsSchema),
      ...errorReplies(400, 401, 403),
    },
  }),
  async (c) => c.json(await getLimits(tenantServices(c)), 200),
);
