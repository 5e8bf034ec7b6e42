import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { recordIdParams } from '../../http/fields.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { contractReply, contractReplySchema } from './contract-reply.ts';
import { getContract } from './get-contract.ts';
import { deploymentInput, requestDeployment } from './request-deployment.ts';

const tags = ['Contracts'];

export const contractRoutes = createRouter()
  .openapi(
    createRoute({
      method: 'post',
      path: '/contracts/deploy',
      tags,
      summary: 'Deploy a token contract',
      description:
        'Accepted at once, status DEPLOYING; carried out by a queue. Poll it, or wait for contract.deployed.',
      security: corporateSecurity,
      request: { body: { required: true, content: { 'application/json': { schema: deploymentInput } } } },
      responses: {
        201: {
          description: 'The record, DEPLOYING',
          content: { 'application/json': { schema: contractReplySchema } },
        },
        ...errorReplies(400, 401, 403, 413),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const contract = await requestDeployment(services, c.req.valid('json'));
      return c.json(contractReply(contract, services.account.corporateId), 201);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/contracts/{id}',
      tags,
      summary: 'Read a contract',
      security: corporateSecurity,
      request: { params: recordIdParams },
      responses: {
        200: { description: 'The record', content: { 'application/json': { schema: contractReplySchema } } },
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const contract = await getContract(services, c.req.valid('param').id);
      return c.json(contractReply(contract, services.account.corporateId), 200);
    },
  );
