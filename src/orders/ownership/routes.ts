import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { recordIdParams } from '../../core/fields.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { getOwnershipTransfer } from './get-ownership-transfer.ts';
import { ownershipTransferReply, ownershipTransferReplySchema } from './ownership-transfer-reply.ts';
import { ownershipTransferInput, acceptOwnershipTransfer } from './accept-ownership-transfer.ts';

const tags = ['Contracts'];

export const ownershipRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/transfer-ownership',
      operationId: 'transferOwnership',
      tags,
      summary: 'Transfer the ownership of a contract',
      description:
        'Queued. Poll the job, or wait for ownership.transferred or ownership.failed. 409 while a transfer to the same owner is under way.',
      scope: 'ownership',
      rateClass: 'deploy',
      ...creatingBody(ownershipTransferInput),
      responses: {
        200: jsonReply('The job, QUEUED', ownershipTransferReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const transfer = await acceptOwnershipTransfer(tenantServices(c), c.req.valid('json'));
      return c.json(ownershipTransferReply(transfer), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts/transfer-ownership/{id}',
      operationId: 'getOwnershipTransfer',
      tags,
      summary: 'Read an ownership transfer',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: jsonReply('The job', ownershipTransferReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const transfer = await getOwnershipTransfer(tenantServices(c), c.req.valid('param').id);
      return c.json(ownershipTransferReply(transfer), 200);
    },
  );
