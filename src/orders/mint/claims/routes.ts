import { z } from 'zod';
import { DomainError } from '../../../core/domain-error.ts';
import { recordIdParams } from '../../../core/fields.ts';
import { pageSchema } from '../../../core/paging.ts';
import { replyHeaders } from '../../../http/api-document.ts';
import { corporateRoute } from '../../../http/corporate-route.ts';
import { errorReplies } from '../../../http/error-replies.ts';
import { refusal, refusalSchema, setRetryAfter } from '../../../http/error-reply.ts';
import { bodiless, creatingBody } from '../../../http/json-body.ts';
import { jsonReply } from '../../../http/json.ts';
import { createRouter, tenantServices } from '../../../http/router.ts';
import { acceptClaim, acceptClaimBatch, claimBatchInput, claimInput, type AcceptedClaim } from './accept-claims.ts';
import { cancelClaim } from './cancel-claim.ts';
import { claimReply, claimReplySchema, newClaimReplySchema } from './claim-reply.ts';
import { claimListQuery, getClaim, listClaims } from './read-claims.ts';

const tags = ['Claims'];

const indexField = z.int().meta({ description: 'Index of the claim in the request, from 0', example: 0 });

const batchReplySchema = z
  .object({
    accepted: z.int().meta({ description: 'How many were accepted', example: 99 }),
    refused: z.int().meta({ description: 'How many were refused', example: 1 }),
    results: z
      .array(
        z.union([
          z.object({
            index: indexField,
            statusCode: z.literal(201).meta({ description: 'HTTP status that it would get on its own' }),
            claim: newClaimReplySchema,
          }),
          refusalSchema.extend({ index: indexField }).meta({ id: 'ClaimRefusal' }),
        ]),
      )
      .meta({ description: 'In the order of the request' }),
  })
  .meta({ id: 'ClaimsResult' });

function newClaimReply({ claim, url }: AcceptedClaim): z.output<typeof newClaimReplySchema> {
  return { ...claimReply(claim), url };
}

export const claimRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/claims',
      operationId: 'createClaim',
      tags,
      summary: 'Make a claim link',
      description:
        'Orders a mint without a receiver, which whoever opens the link names. Until then token and metadata are reserved and nothing is sent. Only this reply has the link. 409 as for POST /minting/order, or if each token of tokenIds has an order.',
      scope: 'mint',
      ...creatingBody(claimInput),
      responses: {
        201: jsonReply('The claim, OPEN', newClaimReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      c.set('hasSecretReply', true);
      const accepted = await acceptClaim(tenantServices(c), c.req.valid('json'));
      return c.json(newClaimReply(accepted), 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/claims/batch',
      operationId: 'createClaims',
      tags,
      summary: 'Make up to 100 claim links',
      description:
        'Each is accepted or refused individually; the results are in the order of the request. Only this reply has the links. Retry-After if all are refused with 429.',
      scope: 'mint',
      ...creatingBody(claimBatchInput),
      responses: {
        200: { ...jsonReply('One result per claim', batchReplySchema), headers: replyHeaders('Retry-After') },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      c.set('hasSecretReply', true);
      const results = await acceptClaimBatch(tenantServices(c), c.req.valid('json'));
      const refused = results.filter((result) => result instanceof DomainError).length;
      setRetryAfter(c, results);
      return c.json(
        {
          accepted: results.length - refused,
          refused,
          results: results.map((result, index) =>
            result instanceof DomainError
              ? { index, ...refusal(result) }
              : { index, statusCode: 201 as const, claim: newClaimReply(result) },
          ),
        },
        200,
      );
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/claims',
      operationId: 'listClaims',
      tags,
      summary: 'List claims, newest first',
      scope: 'read',
      request: { query: claimListQuery },
      responses: { 200: jsonReply('A page', pageSchema(claimReplySchema)), ...errorReplies(400, 401, 403) },
    }),
    async (c) => c.json(await listClaims(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/claims/{id}',
      operationId: 'getClaim',
      tags,
      summary: 'Read a claim',
      scope: 'read',
      request: { params: recordIdParams },
      responses: { 200: jsonReply('The claim', claimReplySchema), ...errorReplies(400, 401, 403, 404) },
    }),
    async (c) => c.json(claimReply(await getClaim(tenantServices(c), c.req.valid('param').id)), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/claims/{id}/cancel',
      operationId: 'cancelClaim',
      tags,
      summary: 'Cancel a claim',
      description:
        'Its link cannot be used any more; its minting order is CANCELLED, which frees token and metadata. 409 if it is claimed, cancelled or expired; a claimed one is a minting order like any other: POST /minting/cancel.',
      scope: 'mint',
      rateClass: 'relay',
      ...bodiless(recordIdParams),
      responses: {
        200: jsonReply('The claim, CANCELLED', claimReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 422),
      },
    }),
    async (c) => c.json(claimReply(await cancelClaim(tenantServices(c), c.req.valid('param').id)), 200),
  );
