import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../http/authentication.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { getLimits, limitsSchema } from './limits.ts';

export const limitsRoutes = createRouter().openapi(
  createRoute({
    method: 'get',
    path: '/limits',
    tags: ['Account'],
    summary: "Read the account's limits",
    description: 'The operator sets them. With how much of them is used today.',
    security: corporateSecurity,
    responses: {
      200: jsonReply('The limits; null where there is none', limitsSchema),
      ...errorReplies(401, 403),
    },
  }),
  async (c) => c.json(await getLimits(tenantServices(c)), 200),
);
