import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { recordIdParams } from '../../http/fields.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { createOrder, orderInput } from './create-order.ts';
import { getOrder } from './get-order.ts';
import { orderReply, orderReplySchema } from './order-reply.ts';

const tags = ['Minting'];

const createOrderRoute = createRoute({
  method: 'post',
  path: '/minting/order',
  tags,
  summary: 'Order a mint',
  description:
    'Accepted at once, status PENDING; carried out exactly once by a queue. Poll it, or wait for mint.confirmed.',
  security: corporateSecurity,
  request: { body: { required: true, content: { 'application/json': { schema: orderInput } } } },
  responses: {
    201: { description: 'The order, PENDING', content: { 'application/json': { schema: orderReplySchema } } },
    ...errorReplies(400, 401, 403, 404, 409, 413),
  },
});

const readOrderRoute = createRoute({
  method: 'get',
  path: '/minting/{id}',
  tags,
  summary: 'Read a minting order',
  security: corporateSecurity,
  request: { params: recordIdParams },
  responses: {
    200: { description: 'The order', content: { 'application/json': { schema: orderReplySchema } } },
    ...errorReplies(400, 401, 403, 404),
  },
});

export const mintingRoutes = createRouter();

// The specification spells this path in both ways.
for (const path of ['/minting/order', '/minting/orders']) {
  mintingRoutes.openapi({ ...createOrderRoute, path }, async (c) => {
    const order = await createOrder(tenantServices(c), c.req.valid('json'));
    return c.json(orderReply(order), 201);
  });
}

mintingRoutes.openapi(readOrderRoute, async (c) => {
  const order = await getOrder(tenantServices(c), c.req.valid('param').id);
  return c.json(orderReply(order), 200);
});
