import { recordIdParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import type { OrderKinds } from '../engine/order-kind.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { bodiless, creatingBody } from '../http/json-body.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { approvalReply, approvalReplySchema } from './approval-reply.ts';
import {
  approvalSettingInput,
  approvalSettingSchema,
  changedSettingSchema,
  getApprovalSetting,
  setApprovals,
} from './approval-setting.ts';
import { decideApproval } from './decide-approval.ts';
import { approvalListQuery, getApproval, listApprovals } from './read-approvals.ts';

const tags = ['Approvals'];
const isForAdmin = true;

const readRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/approvals',
      operationId: 'listApprovals',
      tags,
      summary: 'List approvals, newest first',
      scope: 'read',
      isForAdmin,
      request: { query: approvalListQuery },
      responses: { 200: jsonReply('A page', pageSchema(approvalReplySchema)), ...errorReplies(400, 401, 403) },
    }),
    async (c) => c.json(await listApprovals(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/approvals/setting',
      operationId: 'getApprovalSetting',
      tags,
      summary: 'Read whether the account requires a second person',
      scope: 'read',
      isForAdmin,
      responses: { 200: jsonReply('The setting', approvalSettingSchema), ...errorReplies(400, 401, 403) },
    }),
    async (c) => c.json(await getApprovalSetting(tenantServices(c)), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/approvals/{id}',
      operationId: 'getApproval',
      tags,
      summary: 'Read an approval',
      scope: 'read',
      isForAdmin,
      request: { params: recordIdParams },
      responses: { 200: jsonReply('The approval', approvalReplySchema), ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => c.json(approvalReply(await getApproval(tenantServices(c), c.req.valid('param').id)), 200),
  );

function decisionRoute<const Action extends 'approve' | 'refuse'>(action: Action, summary: string, effect: string) {
  return corporateRoute({
    method: 'post',
    path: `/approvals/{id}/${action}`,
    operationId: `${action}Request`,
    tags,
    summary,
    description: `${effect} With the admin key, or a key that has no ancestor in common with the one that asked for it. 409 if it is decided, cancelled or expired.`,
    scope: 'ownership',
    isForAdmin,
    // A refusal may read the chain.
    rateClass: 'relay',
    ...bodiless(recordIdParams),
    responses: {
      200: jsonReply('The approval', approvalReplySchema),
      ...errorReplies(400, 401, 403, 404, 409, 422),
    },
  });
}

/** @param kinds Those whose orders are decided on. */
export function approvalRoutes(kinds: OrderKinds) {
  return createRouter()
    .route('/', readRoutes)
    .openapi(
      corporateRoute({
        method: 'post',
        path: '/approvals/setting',
        operationId: 'setApprovalSetting',
        tags,
        summary: 'Set whether the account requires a second person',
        description:
          'With the admin key, or a key that also has the scope `keys`. A key can only request to switch it off; a second person must approve that.',
        scope: 'ownership',
        isForAdmin,
        ...creatingBody(approvalSettingInput),
        responses: {
          200: jsonReply('The setting now, and the request to switch it off', changedSettingSchema),
          ...errorReplies(400, 401, 403, 409, 413, 422),
        },
      }),
      async (c) => c.json(await setApprovals(tenantServices(c), c.req.valid('json')), 200),
    )
    .openapi(decisionRoute('approve', 'Approve as the second person', 'The order is carried out.'), async (c) => {
      const approval = await decideApproval(tenantServices(c), kinds, c.req.valid('param').id, 'approved');
      return c.json(approvalReply(approval), 200);
    })
    .openapi(decisionRoute('refuse', 'Refuse as the second person', 'The order is CANCELLED.'), async (c) => {
      const approval = await decideApproval(tenantServices(c), kinds, c.req.valid('param').id, 'refused');
      return c.json(approvalReply(approval), 200);
    });
}
