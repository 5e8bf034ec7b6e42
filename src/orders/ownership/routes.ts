import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptOwnershipTransfer, ownershipTransferInput } from './accept-ownership-transfer.ts';
import {
  ownershipTransferKind,
  ownershipTransferReply,
  ownershipTransferReplySchema,
} from './ownership-transfer-kind.ts';

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
        'Queued. Poll the job, or wait for ownership.transferred or ownership.failed. 409 while a transfer to the same owner is under way, and if the new owner would have to accept the contract (Ownable2Step).',
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
  .route('/', readRoutes([ownershipTransferKind], { one: 'an ownership transfer', reply: 'The job' }));
