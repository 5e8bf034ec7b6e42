import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { auditEntrySchema, auditQuery, listAccountAudit } from './list-audit-log.ts';

export const auditRoutes = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/audit',
    operationId: 'listAuditLog',
    tags: ['Audit'],
    summary: 'List the changes requested in the account, newest first',
    description: 'A key sees what was asked for with keys of its own kind, and by the operator.',
    scope: 'keys',
    request: { query: auditQuery },
    responses: {
      200: jsonReply('A page', pageSchema(auditEntrySchema)),
      ...errorReplies(400, 401, 403),
    },
  }),
  async (c) => c.json(await listAccountAudit(tenantServices(c), c.req.valid('query')), 200),
);
