import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import { ACCOUNT_NAME } from '../accounts/account-directory.ts';
import { notFound } from '../core/domain-error.ts';
import { recordIdParams } from '../core/fields.ts';
import { adminSecurity } from '../http/authentication.ts';
import { errorReplies } from '../http/error-replies.ts';
import { operatorAction, operatorBody, operatorCreation, operatorDeletion } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, newIds, isRetry } from '../http/router.ts';
import type { AppEnv } from '../http/app-env.ts';
import { deliveryReplySchema } from '../webhooks/delivery-reply.ts';
import { operatorReplayInput, replayDelivery, replayFailed, replayReplySchema } from '../webhooks/replay.ts';
import { accountDetail, accountDetailSchema, accountListQuery, accountListSchema, listAccounts } from './accounts.ts';
import { accountIssuerSchema, confirmIssuer, issuerInput } from './confirm-issuer.ts';
import { listWallets, walletsSchema } from './list-wallets.ts';
import { asAccount, cancelAnyOrder, orderStory, orderStorySchema, type OperatorRequest } from './order-story.ts';
import { orderSearchQuery, orderSearchSchema, orderSummarySchema, searchOrders } from './search-orders.ts';
import { orderStatistics, statisticsQuery, statisticsSchema } from './statistics.ts';
import { webhookHealth, webhookHealthSchema } from './webhook-health.ts';
import { accountOfDelivery, accountOfEndpoint } from './webhook-health.store.ts';

const common = { tags: ['Admin'], security: adminSecurity };
const accountParams = z.object({
  corporateId: z
    .string()
    .regex(ACCOUNT_NAME, 'must be a corporateId')
    .meta({ description: 'The corporateId of the account', example: 'demo' }),
});

/** What a use case of an account needs of a request of the operator. */
function requestOf(c: Context<AppEnv>): OperatorRequest {
  return {
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: newIds(c),
    isRetry: isRetry(c),
    asked: c.get('asked'),
    noteAccount: (account) => {
      c.set('account', account);
      c.set('log', c.get('log').with({ accountId: account.id }));
    },
  };
}

/** What an operator sees and does across accounts; the console is made of these routes. */
export const operatorRoutes = createRouter()
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/orders',
      operationId: 'searchOrders',
      summary: 'Find orders',
      description: 'Orders of all accounts and kinds, newest first: those matching `q`, or the other parameters.',
      request: { query: orderSearchQuery },
      responses: { 200: jsonReply('The orders', orderSearchSchema), ...errorReplies(400, 401, 429) },
    }),
    async (c) => c.json(await searchOrders(c.get('services'), c.req.valid('query')), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/orders/{id}',
      operationId: 'getOrderStory',
      summary: 'Read the timeline of an order',
      description:
        'What was ordered, what was signed for it with which fees, how it ended, and the deliveries of its events.',
      request: { params: recordIdParams },
      responses: { 200: jsonReply('The story', orderStorySchema), ...errorReplies(400, 401, 404, 429) },
    }),
    async (c) => c.json(await orderStory(c.get('services'), requestOf(c), c.req.valid('param').id), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'post',
      path: '/admin/orders/{id}/cancel',
      operationId: 'cancelAnyOrder',
      summary: 'Cancel an order of any account',
      description:
        'As its account can: CANCELLED at once if nothing of it was signed. Otherwise a transaction without effect competes with it; the one that is mined decides.',
      middleware: operatorAction().middleware,
      request: { ...operatorAction().request, params: recordIdParams },
      responses: {
        200: jsonReply('The current state of the order', orderSummarySchema),
        ...errorReplies(400, 401, 404, 409, 422, 429),
      },
    }),
    async (c) => c.json(await cancelAnyOrder(c.get('services'), requestOf(c), c.req.valid('param').id), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/statistics',
      operationId: 'getOrderStatistics',
      summary: 'Read orders, fees and times by hour',
      description:
        'By the hour in which orders were accepted: how many, how they ended, what they cost, how long they took.',
      request: { query: statisticsQuery },
      responses: { 200: jsonReply('The hours', statisticsSchema), ...errorReplies(400, 401, 429) },
    }),
    async (c) => c.json(await orderStatistics(c.get('services'), c.req.valid('query').hours), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/wallets',
      operationId: 'listWallets',
      summary: 'List wallets with balances',
      description:
        'Balances are read from the chains now. Includes the spending of the last day and how long the rest will last.',
      responses: { 200: jsonReply('The wallets', walletsSchema), ...errorReplies(400, 401, 429) },
    }),
    async (c) => c.json(await listWallets(c.get('services')), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/webhooks',
      operationId: 'getWebhookHealth',
      summary: 'List failing webhooks',
      description: 'Endpoints that did not accept deliveries in the last 24 hours, and the last of these deliveries.',
      responses: { 200: jsonReply('The endpoints', webhookHealthSchema), ...errorReplies(400, 401, 429) },
    }),
    async (c) => c.json(await webhookHealth(c.get('services')), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'post',
      path: '/admin/webhooks/deliveries/{id}/replay',
      operationId: 'replayAnyDelivery',
      summary: 'Replay a webhook delivery of any account',
      description: 'Makes a delivery that has ended again: the same event with the same id and body.',
      middleware: operatorAction().middleware,
      request: { ...operatorAction().request, params: recordIdParams },
      responses: {
        200: jsonReply('The delivery', deliveryReplySchema),
        ...errorReplies(400, 401, 404, 409, 422, 429),
      },
    }),
    async (c) => {
      const services = c.get('services');
      const { id } = c.req.valid('param');
      const corporateId = await accountOfDelivery(services.db, id);
      if (corporateId === undefined) throw notFound('Webhook delivery');
      return c.json(await replayDelivery(await asAccount(services, requestOf(c), corporateId), id), 200);
    },
  )
  .openapi(
    createRoute({
      ...common,
      method: 'post',
      path: '/admin/webhooks/endpoints/{id}/replay',
      operationId: 'replayFailedOfEndpoint',
      summary: 'Replay the failed deliveries of a webhook endpoint of any account',
      description: 'Those that have FAILED, oldest first, until the account has 1,000 unfinished deliveries.',
      ...operatorCreation(operatorReplayInput, recordIdParams),
      responses: {
        200: jsonReply('The number of replayed deliveries', replayReplySchema),
        ...errorReplies(400, 401, 404, 409, 413, 422, 429),
      },
    }),
    async (c) => {
      const services = c.get('services');
      const { id: endpointId } = c.req.valid('param');
      const corporateId = await accountOfEndpoint(services.db, endpointId);
      if (corporateId === undefined) throw notFound('Webhook endpoint');
      const tenant = await asAccount(services, requestOf(c), corporateId);
      return c.json(await replayFailed(tenant, { ...c.req.valid('json'), endpointId }), 200);
    },
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/accounts',
      operationId: 'listAccounts',
      summary: 'List accounts',
      description: 'Newest first.',
      request: { query: accountListQuery },
      responses: { 200: jsonReply('One page', accountListSchema), ...errorReplies(400, 401, 429) },
    }),
    async (c) => c.json(await listAccounts(c.get('services'), c.req.valid('query')), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'get',
      path: '/admin/accounts/{corporateId}',
      operationId: 'getAccount',
      summary: 'Read an account',
      description: 'With its limits and their usage, its keys and its webhook endpoints.',
      request: { params: accountParams },
      responses: { 200: jsonReply('The account', accountDetailSchema), ...errorReplies(400, 401, 404, 429) },
    }),
    async (c) => c.json(await accountDetail(c.get('services'), requestOf(c), c.req.valid('param').corporateId), 200),
  )
  .openapi(
    createRoute({
      ...common,
      method: 'put',
      path: '/admin/accounts/{corporateId}/issuer',
      operationId: 'confirmIssuer',
      summary: 'Confirm the public identity of an account',
      description:
        'The certificate check shows it within a minute, once the domain proves it: its /.well-known/nft-issuer.json must name the wallet.',
      ...operatorBody(issuerInput, accountParams),
      responses: {
        200: jsonReply('What is confirmed', accountIssuerSchema),
        ...errorReplies(400, 401, 404, 413, 429),
      },
    }),
    async (c) => {
      const { corporateId } = c.req.valid('param');
      return c.json(await confirmIssuer(c.get('services'), corporateId, c.req.valid('json')), 200);
    },
  )
  .openapi(
    createRoute({
      ...common,
      method: 'delete',
      path: '/admin/accounts/{corporateId}/issuer',
      operationId: 'withdrawIssuer',
      summary: 'Withdraw the public identity of an account',
      description: 'The certificate check shows it as unknown within a minute.',
      middleware: operatorDeletion(),
      request: { params: accountParams },
      responses: {
        200: jsonReply('Nothing is confirmed', accountIssuerSchema),
        ...errorReplies(400, 401, 404, 429),
      },
    }),
    async (c) => c.json(await confirmIssuer(c.get('services'), c.req.valid('param').corporateId, null), 200),
  );
