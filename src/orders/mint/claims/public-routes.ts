import { createRoute } from '@hono/zod-openapi';
import { cors } from 'hono/cors';
import { z } from 'zod';
import { errorReplies } from '../../../http/error-replies.ts';
import { publicBody } from '../../../http/json-body.ts';
import { jsonReply } from '../../../http/json.ts';
import { createRouter } from '../../../http/router.ts';
import { linkedClaimReply, linkedClaimSchema } from './claim-reply.ts';
import { claimToken, openClaim, openInput, receiverInput } from './open-claim.ts';

const tags = ['Claims'];

/** Any text: that an id has a wrong form tells no more than that there is no such claim. */
const params = z.object({
  id: z.string().meta({ description: 'Id of the claim, from its link', example: '0190f3c1a2b4d5e6f7a8b9c0' }),
});

const NOT_FOUND = '404 if there is no such claim or the secret is wrong.';

/** What whoever has the link of a claim can do. Public. */
export const publicClaimRoutes = createRouter();

// An issuer's own page can be where holders claim. Requests carry the link's secret and no cookie.
publicClaimRoutes.use(
  '/claims/:id/:action{open|claim}',
  cors({ origin: '*', allowMethods: ['POST'], allowHeaders: ['content-type'], maxAge: 86_400 }),
);

publicClaimRoutes
  .openapi(
    createRoute({
      method: 'post',
      path: '/claims/{id}/open',
      operationId: 'openClaim',
      tags,
      summary: 'Read the claim behind a link',
      description: `Public. What the link is for, who issues it, and its state. ${NOT_FOUND}`,
      security: [],
      ...publicBody(openInput, params, 'claim'),
      responses: { 200: jsonReply('The claim', linkedClaimSchema), ...errorReplies(400, 404, 413, 429) },
    }),
    async (c) => {
      const claim = await openClaim(c.get('services'), c.req.valid('param').id, c.req.valid('json'));
      return c.json(linkedClaimReply(claim), 200);
    },
  )
  .openapi(
    createRoute({
      method: 'post',
      path: '/claims/{id}/claim',
      operationId: 'claimToken',
      tags,
      summary: 'Claim the token of a link',
      description: `Public. Names the receiver, once; the mint follows. The same receiver again gets the same reply. 403 if the PIN is wrong. 409 if it was claimed for another receiver, is cancelled, has expired, or ten wrong PINs were sent. ${NOT_FOUND}`,
      security: [],
      ...publicBody(receiverInput, params, 'claim'),
      responses: {
        200: jsonReply('The claim, CLAIMED', linkedClaimSchema),
        ...errorReplies(400, 403, 404, 409, 413, 429),
      },
    }),
    async (c) => {
      const claim = await claimToken(c.get('services'), c.req.valid('param').id, c.req.valid('json'));
      return c.json(linkedClaimReply(claim), 200);
    },
  );
