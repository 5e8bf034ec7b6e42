import { z } from 'zod';
import { recordIdField } from '../core/fields.ts';
import { cancelOrder } from './cancel-order.ts';
import type { OrderKinds } from '../engine/order-kind.ts';
import { orderProgress } from '../engine/order-row.store.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { creatingBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { resourceOf, type KindsOfPath } from './read-orders.ts';
import { operationName } from './read-routes.ts';

const cancelInput = z
  .strictObject({ id: recordIdField.meta({ description: 'Id of the order' }) })
  .meta({ id: 'CancelOrder' });

/** The routes that cancel orders: one for each path under which the kinds show their orders. */
export function cancelRoutes(kinds: OrderKinds) {
  const router = createRouter();
  const byPath = Map.groupBy(kinds.values(), ({ resource }) => resource?.path);
  for (const [path, own] of byPath) {
    const [first, ...others] = own;
    if (path !== undefined && first !== undefined) addRoute(router, [first, ...others]);
  }
  return router;
}

function addRoute(router: ReturnType<typeof createRouter>, kinds: KindsOfPath): void {
  const { path, name, tag, scope, schema } = resourceOf(kinds);
  const route = corporateRoute({
    method: 'post',
    path: `${path}/cancel`,
    operationId: `cancel${operationName(name)}`,
    tags: [tag],
    summary: `Cancel: ${name.toLowerCase()}`,
    description:
      'CANCELLED at once if nothing of it was signed. Otherwise the reply has cancelRequestedAt, and a transaction without effect competes with it on the chain, within the fee caps; the one that is mined decides. Poll it, or wait for its event. 409 if it has ended.',
    scope,
    // What is signed costs gas; and where someone else may have sent it, the chain is read.
    rateClass: 'relay',
    ...creatingBody(cancelInput),
    responses: {
      200: jsonReply('The current state of the order', schema),
      ...errorReplies(400, 401, 403, 404, 409, 413, 422),
    },
  });
  router.openapi(route, async (c) => {
    const job = await cancelOrder(tenantServices(c), kinds, c.req.valid('json').id);
    return c.json(job.kind.resource?.reply(job.claim, orderProgress(job.transaction)), 200);
  });
}
