import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptNotification, notificationInput } from './accept-notification.ts';
import { notificationKind, notificationReply, notificationReplySchema } from './notification-kind.ts';

const tags = ['Metadata'];

export const notificationRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/chain-notifications',
      operationId: 'notifyChain',
      tags,
      summary: 'Announce on chain that metadata has changed',
      description:
        'The event MetadataUpdate (ERC-4906) of a token, or ContractURIUpdated (ERC-7572) of a collection, after which marketplaces read the public document again. A transaction by the wallet that owns the contract. 409 for a contract that has no function for it, for an ERC-721 token that was burned, and while an order for the same is under way.',
      scope: 'mint',
      rateClass: 'relay',
      ...creatingBody(notificationInput),
      responses: {
        201: jsonReply('The order, PENDING', notificationReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const order = await acceptNotification(tenantServices(c), c.req.valid('json'));
      return c.json(notificationReply(order), 201);
    },
  )
  .route('/', readRoutes([notificationKind], { one: 'a chain notification' }));
