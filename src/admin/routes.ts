import { createRoute } from '@hono/zod-openapi';
import { adminAuditQuery, adminAuditEntrySchema, listAudit } from '../audit/list-audit-log.ts';
import { pageSchema } from '../core/paging.ts';
import { adminSecurity } from '../http/authentication.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter } from '../http/router.ts';
import { recentActivity, recentActivityQuery, recentActivitySchema } from './recent-activity.ts';
import { serviceStatus, serviceStatusSchema } from './service-status.ts';

const tags = ['Admin'];

export const adminRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'get',
      path: '/admin/recent-activity',
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
      tags,
      summary: 'List the changes that were asked for, newest first',
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
      tags,
      summary: 'Read the state of the service',
      description: 'Queues, work by state, wallets. Parts that do not answer are named; the others are still reported.',
      security: adminSecurity,
      responses: {
        200: jsonReply('The state', serviceStatusSchema),
        ...errorReplies(401, 429),
      },
    }),
    async (c) => c.json(await serviceStatus(c.get('services')), 200),
  );
