import type { z } from 'zod';
import { recordIdParams } from '../../../core/fields.ts';
import { pageSchema } from '../../../core/paging.ts';
import { replyHeaders } from '../../../http/api-document.ts';
import { corporateRoute } from '../../../http/corporate-route.ts';
import { errorReplies } from '../../../http/error-replies.ts';
import { bodiless, creatingBody } from '../../../http/json-body.ts';
import { jsonReply } from '../../../http/json.ts';
import { createRouter, tenantServices } from '../../../http/router.ts';
import { batchReply, batchReplySchema } from '../../../http/batch-reply.ts';
import { acceptClaim, acceptClaimBatch, claimBatchInput, claimInput, type AcceptedClaim } from './accept-claims.ts';
import { cancelClaim } from './cancel-claim.ts';
import { claimReply, claimReplySchema, newClaimReplySchema } from './claim-reply.ts';
import { claimListQuery, getClaim, listClaims } from './read-claims.ts';

const tags = ['Claims'];
const WITH_PIN = { isHashed: false } as const;

const batchSchema = batchReplySchema(
  'claim',
  { claim: newClaimReplySchema },
  { refusal: 'ClaimRefusal', result: 'ClaimsResult' },
);

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
        'Orders a mint whose receiver is named by whoever claims the link. Until then, the token and metadata are reserved and nothing is sent. Only this reply has the link. 409 as for POST /minting/order, or if each token of tokenIds has an order.',
      scope: 'mint',
      ...creatingBody(claimInput, WITH_PIN),
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
        'Each is accepted or refused individually; the results are in the order of the request. Only this reply has the links. The ranges of a request have 10,000 ids at most; one that several claims name counts once. Retry-After if all are refused with 429.',
      scope: 'mint',
      ...creatingBody(claimBatchInput, WITH_PIN),
      responses: {
        200: { ...jsonReply('One result per claim', batchSchema), headers: replyHeaders('Retry-After') },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      c.set('hasSecretReply', true);
      const results = await acceptClaimBatch(tenantServices(c), c.req.valid('json'));
      return c.json(
        batchReply(c, results, (accepted) => ({ claim: newClaimReply(accepted) })),
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
        'Its link can no longer be used; its minting order is CANCELLED, which frees token and metadata. 409 if it is claimed, cancelled or expired; to cancel the order of a claimed one, use POST /minting/cancel.',
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
