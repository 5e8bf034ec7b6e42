import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { holdingSchema, holdingsQuery, listHoldings } from './list-holdings.ts';

export const holdingRoutes = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/holdings',
    operationId: 'listHoldings',
    tags: ['Wallet'],
    summary: "List who holds the tokens of the account's contracts",
    description:
      "From the transfers that the contracts report, whoever made them. A minute or two behind the chain; `onChain` of `GET /contracts` says up to which block, and why a contract's holdings are incomplete. The list is not ordered by time.",
    scope: 'read',
    request: { query: holdingsQuery },
    responses: {
      200: jsonReply('A page', pageSchema(holdingSchema)),
      ...errorReplies(400, 401, 403),
    },
  }),
  async (c) => c.json(await listHoldings(tenantServices(c), c.req.valid('query')), 200),
);
