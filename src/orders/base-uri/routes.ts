import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptBaseUri, baseUriInput } from './accept-base-uri.ts';
import { baseUriChangeReply, baseUriChangeReplySchema, baseUriKind } from './base-uri-kind.ts';

export const baseUriRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/base-uri',
      operationId: 'setBaseUri',
      tags: ['Contracts'],
      summary: "Change a contract's base URI",
      description:
        'All its tokens then have their URIs under the new one, as when the service has moved to another domain. A transaction by the wallet that owns the contract; it emits BatchMetadataUpdate (ERC-4906), after which marketplaces read the documents again. 409 for certificates, whose base URI never changes, for a contract that has no function for it, and while another change of its base URI is under way.',
      scope: 'ownership',
      rateClass: 'deploy',
      ...creatingBody(baseUriInput),
      responses: {
        201: jsonReply('The order, PENDING', baseUriChangeReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const order = await acceptBaseUri(tenantServices(c), c.req.valid('json'));
      return c.json(baseUriChangeReply(order), 201);
    },
  )
  .route('/', readRoutes([baseUriKind], { one: "a change of a contract's base URI" }));
