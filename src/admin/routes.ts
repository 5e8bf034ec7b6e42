import { DEFAULT_CHAIN } from '../chains/list.ts';
import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { ACCOUNT_NAME } from '../accounts/account-directory.ts';
import { adminAuditQuery, adminAuditEntrySchema, listAudit } from '../audit/list-audit-log.ts';
import { chainIdField } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { adminSecurity } from '../http/authentication.ts';
import { errorReplies } from '../http/error-replies.ts';
import { operatorAction, operatorBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, isRetry } from '../http/router.ts';
import { metrics } from './metrics.ts';
import { limitsInput, setLimits, storedLimitsSchema } from '../limits/limits.ts';
import {
  accountPauseSchema,
  chainPauseSchema,
  pauseAccount,
  pauseChain,
  resumeAccount,
  resumeChain,
} from './pauses.ts';
import { recentActivity, recentActivityQuery, recentActivitySchema } from './recent-activity.ts';
import { serviceStatus, serviceStatusSchema } from './service-status.ts';

const tags = ['Admin'];

/** Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const accountParams = z.object({
  corporateId: z
    .string()
    .regex(ACCOUNT_NAME, 'must be a corporateId')
    .meta({ description: 'The corporateId of the account', example: 'b3a1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d' }),
});
const chainParams = z.object({ chainId: chainIdField });

function pauseRoute<Path extends string, Params extends z.ZodObject, Reply extends z.ZodType>(
  operationId: string,
  path: Path,
  params: Params,
  summary: string,
  description: string,
  reply: Reply,
) {
  const { middleware, request } = operatorAction();
  return createRoute({
    method: 'post',
    path,
    operationId,
    tags,
    summary,
    description,
    security: adminSecurity,
    middleware,
    request: { ...request, params },
    responses: { 200: jsonReply('The current state', reply), ...errorReplies(400, 401, 404, 409, 422, 429) },
  });
}

const LIMITS =
  'Replaces all limits; absent or null means no limit. Accepted orders that the new limits do not allow wait, and are never dropped.';

const PAUSED =
  'Its orders are accepted and wait: none is signed for the first time after this reply. Signed transactions and cancellations continue.';

export const adminRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'get',
      path: '/admin/recent-activity',
      operationId: 'listRecentActivity',
      tags,
      summary: 'List recent activity',
      description: 'Minting orders and webhook attempts of all accounts, most recently updated first, 30 per page.',
      security: adminSecurity,
      request: { query: recentActivityQuery },
      responses: {
        200: jsonReply('One page', recentActivitySchema),
        ...errorReplies(400, 401, 429),
      },
    }),
    async (c) => c.json(await recentActivity(c.get('services'), c.req.valid('query').offset ?? 0), 200),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/admin/audit',
      operationId: 'listAuditLogOfAllAccounts',
      tags,
      summary: 'List requested changes, newest first',
      description: 'Of all accounts.',
      security: adminSecurity,
      request: { query: adminAuditQuery },
      responses: {
        200: jsonReply('A page', pageSchema(adminAuditEntrySchema)),
        ...errorReplies(400, 401, 429),
      },
    }),
    async (c) => c.json(await listAudit(c.get('services'), c.req.valid('query')), 200),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/status',
      operationId: 'getServiceStatus',
      tags,
      summary: 'Read the state of the service',
      description: 'Queues, work by state, wallets. Parts that do not answer are named; the others are still reported.',
      security: adminSecurity,
      responses: {
        200: jsonReply('The state', serviceStatusSchema),
        ...errorReplies(400, 401, 429),
      },
    }),
    async (c) => c.json(await serviceStatus(c.get('services')), 200),
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/admin/metrics',
      operationId: 'getMetrics',
      tags,
      summary: 'Read the metrics of the service',
      description:
        "In Prometheus' text format, version 0.0.4: how long requests, orders and webhooks take, lanes, calls to nodes. No label names an account.",
      security: adminSecurity,
      responses: {
        200: {
          description: 'The metrics',
          content: {
            'text/plain': {
              schema: z.string().meta({ example: `nft_lanes_overdue{chain_id="${DEFAULT_CHAIN.id}"} 0` }),
            },
          },
        },
        ...errorReplies(400, 401, 429),
      },
    }),
    async (c) => c.text(await metrics(c.get('services')), 200, { 'Content-Type': METRICS_TYPE }),
  )
  .openapi(
    createRoute({
      method: 'put',
      path: '/admin/accounts/{corporateId}/limits',
      operationId: 'setAccountLimits',
      tags,
      summary: 'Set the limits of an account',
      description: LIMITS,
      security: adminSecurity,
      ...operatorBody(limitsInput, accountParams),
      responses: {
        200: jsonReply('The limits', storedLimitsSchema),
        ...errorReplies(400, 401, 404, 413, 429),
      },
    }),
    async (c) => {
      const { corporateId } = c.req.valid('param');
      return c.json(await setLimits(c.get('services'), corporateId, c.req.valid('json')), 200);
    },
  )
  .openapi(
    pauseRoute(
      'pauseAccount',
      '/admin/accounts/{corporateId}/pause',
      accountParams,
      'Pause an account',
      PAUSED,
      accountPauseSchema,
    ),
    async (c) => c.json(await pauseAccount(c.get('services'), c.req.valid('param').corporateId, isRetry(c)), 200),
  )
  .openapi(
    pauseRoute(
      'resumeAccount',
      '/admin/accounts/{corporateId}/resume',
      accountParams,
      'Resume an account',
      'Waiting orders are executed, oldest first.',
      accountPauseSchema,
    ),
    async (c) => c.json(await resumeAccount(c.get('services'), c.req.valid('param').corporateId, isRetry(c)), 200),
  )
  .openapi(
    pauseRoute(
      'pauseChain',
      '/admin/chains/{chainId}/pause',
      chainParams,
      'Pause a chain for all accounts',
      PAUSED,
      chainPauseSchema,
    ),
    async (c) => c.json(await pauseChain(c.get('services'), c.req.valid('param').chainId, isRetry(c)), 200),
  )
  .openapi(
    pauseRoute(
      'resumeChain',
      '/admin/chains/{chainId}/resume',
      chainParams,
      'Resume a chain',
      'Waiting orders are executed, oldest first. Accounts that are paused stay paused.',
      chainPauseSchema,
    ),
    async (c) => c.json(await resumeChain(c.get('services'), c.req.valid('param').chainId, isRetry(c)), 200),
  );
