import { z } from 'zod';
import { recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { bodiless, creatingBody, deletion, jsonBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import {
  changeEndpoint,
  deleteEndpoint,
  endpointChange,
  createEndpoint,
  endpointInput,
  rotateSecret,
} from './manage-endpoints.ts';
import { deliveryReplySchema, deliveryWithPayloadSchema } from './delivery-reply.ts';
import { endpointReply, endpointReplySchema, endpointSecretSchema } from './endpoint-reply.ts';
import { listEndpoints, getEndpoint } from './read-endpoints.ts';
import { getDelivery, deliveryListQuery, listDeliveries } from './read-deliveries.ts';
import { replayDelivery, replayFailed, replayInput, replayReplySchema } from './replay.ts';
import { sendTest } from './send-test.ts';

const tags = ['Webhooks'];
const scope = 'webhooks';

/** @param eventTypes The event types that an endpoint may name. */
function endpointRoutes(eventTypes: readonly string[]) {
  const changeBody = jsonBody(endpointChange(eventTypes));
  return createRouter()
    .openapi(
      corporateRoute({
        method: 'post',
        path: '/webhooks/endpoints',
        operationId: 'createWebhookEndpoint',
        tags,
        summary: 'Create a webhook endpoint',
        description:
          "An account can have 16. Only this reply has the secret that signs its events. An endpoint that a key creates gets the events of chains of the key's kind.",
        scope,
        ...creatingBody(endpointInput(eventTypes)),
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
      corporateRoute({
        method: 'get',
        path: '/webhooks/endpoints',
        operationId: 'listWebhookEndpoints',
        tags,
        summary: 'List the webhook endpoints',
        description: "Oldest first. The account's webhook, which the operator sets, is one of them.",
        scope,
        responses: {
          200: jsonReply(
            'The endpoints',
            z.object({ items: z.array(endpointReplySchema).meta({ description: 'The endpoints' }) }),
          ),
          ...errorReplies(400, 401, 403),
        },
      }),
      async (c) => c.json({ items: await listEndpoints(tenantServices(c)) }, 200),
    )
    .openapi(
      corporateRoute({
        method: 'get',
        path: '/webhooks/endpoints/{id}',
        operationId: 'getWebhookEndpoint',
        tags,
        summary: 'Read a webhook endpoint',
        scope,
        request: { params: recordIdParams },
        responses: { 200: jsonReply('The endpoint', endpointReplySchema), ...errorReplies(400, 401, 403, 404) },
      }),
      async (c) => c.json(endpointReply(await getEndpoint(tenantServices(c), c.req.valid('param').id)), 200),
    )
    .openapi(
      corporateRoute({
        method: 'patch',
        path: '/webhooks/endpoints/{id}',
        operationId: 'changeWebhookEndpoint',
        tags,
        summary: 'Change a webhook endpoint',
        description: 'Changes the given fields. 409 for the endpoint that the operator sets.',
        scope,
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
      corporateRoute({
        method: 'delete',
        path: '/webhooks/endpoints/{id}',
        operationId: 'deleteWebhookEndpoint',
        tags,
        summary: 'Delete a webhook endpoint',
        description: 'Its unfinished deliveries end as SKIPPED. Its deliveries can still be read.',
        scope,
        middleware: deletion(),
        request: { params: recordIdParams },
        responses: { 204: { description: 'Deleted' }, ...errorReplies(400, 401, 403, 404, 409) },
      }),
      async (c) => {
        await deleteEndpoint(tenantServices(c), c.req.valid('param').id);
        return c.body(null, 204);
      },
    )
    .openapi(
      corporateRoute({
        method: 'post',
        path: '/webhooks/endpoints/{id}/rotate-secret',
        operationId: 'rotateWebhookSecret',
        tags,
        summary: 'Rotate the secret of a webhook endpoint',
        description:
          'Only this reply has the secret. For 24 hours events are signed with both; a second rotation within that time expires the first secret at once.',
        scope,
        ...bodiless(recordIdParams),
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
      corporateRoute({
        method: 'post',
        path: '/webhooks/endpoints/{id}/test',
        operationId: 'testWebhookEndpoint',
        tags,
        summary: 'Send a test event to a webhook endpoint',
        description: 'An event of type webhook.test, whatever event types the endpoint names.',
        scope,
        rateClass: 'webhook',
        ...bodiless(recordIdParams),
        responses: {
          201: jsonReply('Its delivery', deliveryWithPayloadSchema),
          ...errorReplies(400, 401, 403, 404, 409, 422),
        },
      }),
      async (c) => c.json(await sendTest(tenantServices(c), c.req.valid('param').id), 201),
    );
}

/** @param eventTypes All of them. */
function deliveryRoutes(eventTypes: readonly string[]) {
  return createRouter()
    .openapi(
      corporateRoute({
        method: 'get',
        path: '/webhooks/deliveries',
        operationId: 'listWebhookDeliveries',
        tags,
        summary: 'List webhook deliveries, newest first',
        description: 'One for each endpoint that gets an event, with its attempts.',
        scope,
        request: { query: deliveryListQuery(eventTypes) },
        responses: { 200: jsonReply('A page', pageSchema(deliveryReplySchema)), ...errorReplies(400, 401, 403) },
      }),
      async (c) => c.json(await listDeliveries(tenantServices(c), c.req.valid('query')), 200),
    )
    .openapi(
      corporateRoute({
        method: 'get',
        path: '/webhooks/deliveries/{id}',
        operationId: 'getWebhookDelivery',
        tags,
        summary: 'Read a webhook delivery',
        scope,
        request: { params: recordIdParams },
        responses: {
          200: jsonReply('The delivery, with the body', deliveryWithPayloadSchema),
          ...errorReplies(400, 401, 403, 404),
        },
      }),
      async (c) => c.json(await getDelivery(tenantServices(c), c.req.valid('param').id), 200),
    )
    .openapi(
      corporateRoute({
        method: 'post',
        path: '/webhooks/deliveries/replay',
        operationId: 'replayWebhookDeliveries',
        tags,
        summary: 'Replay failed webhook deliveries',
        description:
          'The FAILED deliveries to enabled endpoints, oldest first, until the account has 1,000 unfinished deliveries.',
        scope,
        rateClass: 'webhook',
        ...creatingBody(replayInput),
        responses: {
          200: jsonReply('The number of replayed deliveries', replayReplySchema),
          ...errorReplies(400, 401, 403, 404, 409, 413, 422),
        },
      }),
      async (c) => c.json(await replayFailed(tenantServices(c), c.req.valid('json')), 200),
    )
    .openapi(
      corporateRoute({
        method: 'post',
        path: '/webhooks/deliveries/{id}/replay',
        operationId: 'replayWebhookDelivery',
        tags,
        summary: 'Replay a webhook delivery',
        description: 'One that has ended, in any state: the same event with the same id and body, up to five attempts.',
        scope,
        rateClass: 'webhook',
        ...bodiless(recordIdParams),
        responses: {
          200: jsonReply('The delivery, PENDING', deliveryReplySchema),
          ...errorReplies(400, 401, 403, 404, 409, 422),
        },
      }),
      async (c) => c.json(await replayDelivery(tenantServices(c), c.req.valid('param').id), 200),
    );
}

/**
 * The routes of endpoints and deliveries.
 * @param eventTypes Every event type, as in the API document.
 */
export function webhookRoutes(eventTypes: readonly string[]) {
  // A test is sent to the endpoint that its request names.
  const subscribable = eventTypes.filter((type) => type !== 'webhook.test');
  return [endpointRoutes(subscribable), deliveryRoutes(eventTypes)];
}
