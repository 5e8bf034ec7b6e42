import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { recordIdParams } from '../../http/fields.ts';
import { idempotencyHeaders } from '../../http/idempotency.ts';
import { pageSchema } from '../../http/paging.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { contractReply, contractReplySchema } from './contract-reply.ts';
import { callView, viewCallInput } from './call-view.ts';
import { forwarderInput, requestForwarder } from './request-forwarder.ts';
import { getContract } from './get-contract.ts';
import { getOwnershipTransfer } from './get-ownership-transfer.ts';
import { contractListQuery, listContracts } from './list-contracts.ts';
import { ownershipTransferReply, ownershipTransferReplySchema } from './ownership-transfer-reply.ts';
import { ownershipTransferInput, requestOwnershipTransfer } from './request-ownership-transfer.ts';
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
      request: {
        headers: idempotencyHeaders,
        body: { required: true, content: { 'application/json': { schema: deploymentInput } } },
      },
      responses: {
        201: {
          description: 'The record, DEPLOYING',
          content: { 'application/json': { schema: contractReplySchema } },
        },
        ...errorReplies(400, 401, 403, 409, 413, 422),
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
      method: 'post',
      path: '/contracts/forwarder',
      tags,
      summary: 'Deploy an EIP-2771 forwarder',
      description: 'Accepted at once, status DEPLOYING. Read it like any contract.',
      security: corporateSecurity,
      request: {
        headers: idempotencyHeaders,
        body: { required: true, content: { 'application/json': { schema: forwarderInput } } },
      },
      responses: {
        201: {
          description: 'The record, DEPLOYING',
          content: { 'application/json': { schema: contractReplySchema } },
        },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const forwarder = await requestForwarder(services, c.req.valid('json'));
      return c.json(contractReply(forwarder, services.account.corporateId), 201);
    },
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/contracts/read',
      tags,
      summary: 'Call a view function',
      description: 'Costs no gas. The reply is the raw value: whole numbers as decimal strings, bytes as hex.',
      security: corporateSecurity,
      request: { body: { required: true, content: { 'application/json': { schema: viewCallInput } } } },
      responses: {
        200: {
          description: 'What the function returned',
          content: {
            'application/json': {
              schema: z.unknown().meta({ type: ['string', 'boolean', 'array', 'object', 'null'] }),
            },
          },
        },
        ...errorReplies(400, 401, 403, 413, 502),
      },
    }),
    async (c) => {
      const value = await callView(tenantServices(c), c.req.valid('json'));
      return c.json(value, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/contracts/transfer-ownership',
      tags,
      summary: 'Hand a contract over to another owner',
      description: 'Queued. Poll the job, or wait for ownership.transferred or ownership.failed.',
      security: corporateSecurity,
      request: {
        headers: idempotencyHeaders,
        body: { required: true, content: { 'application/json': { schema: ownershipTransferInput } } },
      },
      responses: {
        200: {
          description: 'The job, QUEUED',
          content: { 'application/json': { schema: ownershipTransferReplySchema } },
        },
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const transfer = await requestOwnershipTransfer(tenantServices(c), c.req.valid('json'));
      return c.json(ownershipTransferReply(transfer), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/contracts/transfer-ownership/{id}',
      tags,
      summary: 'Read the job of a hand-over',
      security: corporateSecurity,
      request: { params: recordIdParams },
      responses: {
        200: { description: 'The job', content: { 'application/json': { schema: ownershipTransferReplySchema } } },
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const transfer = await getOwnershipTransfer(tenantServices(c), c.req.valid('param').id);
      return c.json(ownershipTransferReply(transfer), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/contracts',
      tags,
      summary: 'List contracts and forwarders, newest first',
      security: corporateSecurity,
      request: { query: contractListQuery },
      responses: {
        200: { description: 'A page', content: { 'application/json': { schema: pageSchema(contractReplySchema) } } },
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listContracts(tenantServices(c), c.req.valid('query')), 200),
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
