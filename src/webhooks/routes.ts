import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { corporateSecurity } from '../http/authentication.ts';
import { errorReplies } from '../http/error-replies.ts';
import { creating, creatingBody, jsonBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { changeEndpoint, deleteEndpoint, endpointChange } from './change-endpoint.ts';
import { createEndpoint, endpointInput } from './create-endpoint.ts';
import { deliveryReplySchema, deliveryWithPayloadSchema } from './delivery-reply.ts';
import { endpointReply, endpointReplySchema, endpointSecretSchema } from './endpoint-reply.ts';
import { listEndpoints } from './endpoints.store.ts';
import { getDelivery } from './get-delivery.ts';
import { getEndpoint } from './get-endpoint.ts';
import { deliveryListQuery, listDeliveries } from './list-deliveries.ts';
import { replayDelivery, replayFailed, replayInput, replayReplySchema } from './replay.ts';
import { rotateSecret } from './rotate-secret.ts';
import { sendTest } from './send-test.ts';

const tags = ['Webhooks'];
const security = corporateSecurity;
const changeBody = jsonBody(endpointChange);

const endpointRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'post',
      path: '/webhooks/endpoints',
      tags,
      summary: 'Create a webhook endpoint',
      description: 'An account may have 16. The secret that signs its events is in this reply only.',
      security,
      ...creatingBody(endpointInput),
      responses: {
        201: jsonReply('The endpoint with its secret', endpointSecretSchema),
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      c.set('hasSecretReply', true);
      return c.json(await createEndpoint(tenantServices(c), c.req.valid('json')), 201);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/webhooks/endpoints',
      tags,
      summary: 'List the webhook endpoints',
      description: "All of them, oldest first; the account's webhook, which the operator sets, is one.",
      security,
      responses: {
        200: jsonReply('The endpoints', z.object({ items: z.array(endpointReplySchema) })),
        ...errorReplies(401, 403),
      },
    }),
    async (c) => c.json({ items: (await listEndpoints(tenantServices(c).db)).map(endpointReply) }, 200),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/webhooks/endpoints/{id}',
      tags,
      summary: 'Read a webhook endpoint',
      security,
      request: { params: recordIdParams },
      responses: { 200: jsonReply('The endpoint', endpointReplySchema), ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => c.json(endpointReply(await getEndpoint(tenantServices(c), c.req.valid('param').id)), 200),
  )
  .openapi(
    createRoute({
      method: 'patch',
      path: '/webhooks/endpoints/{id}',
      tags,
      summary: 'Change a webhook endpoint',
      description: 'Changes what is given. The endpoint that the operator sets is not changed: 409.',
      security,
      middleware: changeBody.middleware,
      request: { params: recordIdParams, ...changeBody.request },
      responses: {
        200: jsonReply('The endpoint', endpointReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413),
      },
    }),
    async (c) => {
      const endpoint = await changeEndpoint(tenantServices(c), c.req.valid('param').id, c.req.valid('json'));
      return c.json(endpointReply(endpoint), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'delete',
      path: '/webhooks/endpoints/{id}',
      tags,
      summary: 'Delete a webhook endpoint',
      description: 'What is not delivered yet ends as SKIPPED; its deliveries can still be read.',
      security,
      request: { params: recordIdParams },
      responses: { 204: { description: 'Deleted' }, ...errorReplies(400, 401, 403, 404, 409) },
    }),
    async (c) => {
      await deleteEndpoint(tenantServices(c), c.req.valid('param').id);
      return c.body(null, 204);
    },
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/webhooks/endpoints/{id}/rotate-secret',
      tags,
      summary: 'Give a webhook endpoint a new secret',
      description:
        'The secret is in this reply only. For 24 hours events are signed with both; a second rotation in that time ends the first secret at once.',
      security,
      middleware: creating.middleware,
      request: { params: recordIdParams, ...creating.request },
      responses: {
        200: jsonReply('The endpoint with its new secret', endpointSecretSchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => {
      c.set('hasSecretReply', true);
      return c.json(await rotateSecret(tenantServices(c), c.req.valid('param').id), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/webhooks/endpoints/{id}/test',
      tags,
      summary: 'Send a test event to a webhook endpoint',
      description: 'An event of type webhook.test, whatever events the endpoint asks for.',
      security,
      middleware: creating.middleware,
      request: { params: recordIdParams, ...creating.request },
      responses: {
        201: jsonReply('Its delivery', deliveryWithPayloadSchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => c.json(await sendTest(tenantServices(c), c.req.valid('param').id), 201),
  );

const deliveryRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'get',
      path: '/webhooks/deliveries',
      tags,
      summary: 'List webhook deliveries, newest first',
      description: 'One for each endpoint that gets an event, with its attempts.',
      security,
      request: { query: deliveryListQuery },
      responses: { 200: jsonReply('A page', pageSchema(deliveryReplySchema)), ...errorReplies(400, 401, 403) },
    }),
    async (c) => c.json(await listDeliveries(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/webhooks/deliveries/{id}',
      tags,
      summary: 'Read a webhook delivery',
      security,
      request: { params: recordIdParams },
      responses: {
        200: jsonReply('The delivery, with the body', deliveryWithPayloadSchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => c.json(await getDelivery(tenantServices(c), c.req.valid('param').id), 200),
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/webhooks/deliveries/replay',
      tags,
      summary: 'Replay failed webhook deliveries',
      description:
        'The FAILED deliveries to enabled endpoints, oldest first, until the account has 1,000 deliveries without an end.',
      security,
      ...creatingBody(replayInput),
      responses: {
        200: jsonReply('How many', replayReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422),
      },
    }),
    async (c) => c.json(await replayFailed(tenantServices(c), c.req.valid('json')), 200),
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/webhooks/deliveries/{id}/replay',
      tags,
      summary: 'Replay a webhook delivery',
      description:
        'One that has ended, in whatever state: the same event with the same id and body, up to five attempts.',
      security,
      middleware: creating.middleware,
      request: { params: recordIdParams, ...creating.request },
      responses: {
        200: jsonReply('The delivery, PENDING', deliveryReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => c.json(await replayDelivery(tenantServices(c), c.req.valid('param').id), 200),
  );

/** Endpoints and deliveries. */
export const webhookRoutes = [endpointRoutes, deliveryRoutes];
