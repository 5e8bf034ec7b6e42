import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { contractReply, contractReplySchema } from '../../catalog/contracts/contract-reply.ts';
import { acceptContract, acceptForwarder, deploymentInput, forwarderInput } from './accept-deployment.ts';

const tags = ['Contracts'];
const responses = {
  201: jsonReply('The record, DEPLOYING', contractReplySchema),
  ...errorReplies(400, 401, 403, 409, 413, 422),
};

export const deployRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/deploy',
      operationId: 'deployContract',
      tags,
      summary: 'Deploy a token contract',
      description:
        'Accepted at once with status DEPLOYING and executed asynchronously. Poll it, or wait for contract.deployed.',
      scope: 'deploy',
      rateClass: 'deploy',
      ...creatingBody(deploymentInput),
      responses,
    }),
    async (c) => {
      const services = tenantServices(c);
      const contract = await acceptContract(services, c.req.valid('json'));
      return c.json(contractReply(contract, services.account.corporateId), 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/forwarder',
      operationId: 'deployForwarder',
      tags,
      summary: 'Deploy an EIP-2771 forwarder',
      description: 'Accepted at once with status DEPLOYING. Read it like any contract.',
      scope: 'deploy',
      rateClass: 'deploy',
      ...creatingBody(forwarderInput),
      responses,
    }),
    async (c) => {
      const services = tenantServices(c);
      const forwarder = await acceptForwarder(services, c.req.valid('json'));
      return c.json(contractReply(forwarder, services.account.corporateId), 201);
    },
  );
