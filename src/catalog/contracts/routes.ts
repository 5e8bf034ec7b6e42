import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { recordIdParams } from '../../core/fields.ts';
import { pageSchema } from '../../core/paging.ts';
import { jsonBody } from '../../http/json-body.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { contractReply, contractReplySchema } from './contract-reply.ts';
import { callView, viewCallInput } from './call-view.ts';
import { getContract } from './get-contract.ts';
import { contractListQuery, listContracts } from './list-contracts.ts';

const tags = ['Contracts'];

export const contractRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/read',
      tags,
      summary: 'Call a view function',
      description: 'Costs no gas. The reply is the raw value: integers as decimal strings, bytes as hex.',
      scope: 'read',
      rateClass: 'read',
      ...jsonBody(viewCallInput),
      responses: {
        200: jsonReply(
          'The returned value',
          z.unknown().meta({ type: ['string', 'boolean', 'array', 'object', 'null'] }),
        ),
        ...errorReplies(400, 401, 403, 413, 502),
      },
    }),
    async (c) => {
      const value = await callView(tenantServices(c), c.req.valid('json'));
      return c.json(value, 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts',
      tags,
      summary: 'List contracts and forwarders, newest first',
      scope: 'read',
      request: { query: contractListQuery },
      responses: {
        200: jsonReply('A page', pageSchema(contractReplySchema)),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listContracts(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts/{id}',
      tags,
      summary: 'Read a contract',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: jsonReply('The contract', contractReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const contract = await getContract(services, c.req.valid('param').id);
      return c.json(contractReply(contract, services.account.corporateId), 200);
    },
  );
