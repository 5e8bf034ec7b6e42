import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { recordIdParams } from '../../core/fields.ts';
import { pageSchema } from '../../core/paging.ts';
import { creatingBody, deletion, jsonBody } from '../../http/json-body.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { contractReply, contractReplySchema } from './contract-reply.ts';
import { callView, viewCallInput } from './call-view.ts';
import { contractListQuery, getContract, listContracts } from './read-contracts.ts';
import { registerContract, registrationInput, unregisterContract } from './register-contract.ts';

const tags = ['Contracts'];

export const contractRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/contracts/read',
      operationId: 'readContract',
      tags,
      summary: 'Call a view function',
      description: 'Costs no gas. The reply is the raw value: integers as decimal strings, bytes as hex.',
      scope: 'read',
      rateClass: 'read',
      ...jsonBody(viewCallInput),
      responses: {
        200: jsonReply(
          'The returned value',
          z.unknown().meta({ type: ['string', 'boolean', 'array', 'object', 'null'], items: {} }),
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
      method: 'post',
      path: '/contracts/register',
      operationId: 'registerContract',
      tags,
      summary: 'Register a contract that was deployed elsewhere',
      description:
        "Lets the account act on it as on a contract that it deployed here. The contract must have code, must say which standard it implements (ERC-165), and the account's wallet must be its owner. 409 if the wallet is not, or if a contract with this address is registered already, by any account or on another chain. Repeating it gets the same record.",
      scope: 'deploy',
      rateClass: 'read',
      ...creatingBody(registrationInput),
      responses: {
        200: jsonReply('The account already has this contract: its record', contractReplySchema),
        201: jsonReply('The record, ACTIVE', contractReplySchema),
        ...errorReplies(400, 401, 403, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const services = tenantServices(c);
      const { contract, isNew } = await registerContract(services, c.req.valid('json'));
      return c.json(contractReply(contract, services.account.corporateId), isNew ? 201 : 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/contracts',
      operationId: 'listContracts',
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
      operationId: 'getContract',
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
  )
  .openapi(
    corporateRoute({
      method: 'delete',
      path: '/contracts/{id}',
      operationId: 'unregisterContract',
      tags,
      summary: 'Unregister a contract',
      description:
        'It is no longer one of the ACTIVE contracts: its record is FAILED, without an address, and anyone whose wallet owns the contract can register it again. Orders and claims that were accepted are carried out unless they are cancelled, and the documents of its tokens stay public. 409 for a contract that this service has deployed. Repeating it changes nothing.',
      scope: 'deploy',
      middleware: deletion(),
      request: { params: recordIdParams },
      responses: { 204: { description: 'It is not registered' }, ...errorReplies(400, 401, 403, 404, 409) },
    }),
    async (c) => {
      await unregisterContract(tenantServices(c), c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
