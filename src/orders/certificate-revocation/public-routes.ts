import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { notFound } from '../../core/domain-error.ts';
import { contractAddressField, tokenIdField } from '../../core/fields.ts';
import { chainIdReply, txHashReply } from '../../core/reply-fields.ts';
import { limitAddress } from '../../http/rate-limit.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { fromAnySite } from '../../http/reply-headers.ts';
import { createRouter } from '../../http/router.ts';
import { findLatestRevocation } from './revocations.store.ts';

/** A certificate can be issued and revoked again. */
const REVOCATION_SECONDS = 60;

const revocationSchema = z
  .object({
    chainId: chainIdReply,
    reason: z.string().meta({ description: 'Why it was revoked, as ordered', example: 'Reported stolen' }),
    txHash: txHashReply.nullable().meta({ description: 'Hash of the transaction that revoked it, in lower case' }),
  })
  .meta({ id: 'PublicRevocation' });

const PATH = '/certificates/{contractAddress}/{tokenId}/revocation';

const router = createRouter();
router.use(PATH.replaceAll(/\{(\w+)\}/g, ':$1'), fromAnySite);

/** Why certificates were revoked, for the certificate check. Public. */
export const publicRevocationRoutes = router.openapi(
  createRoute({
    method: 'get',
    path: PATH,
    operationId: 'getPublicRevocation',
    tags: ['Contracts'],
    summary: 'Read why a certificate was revoked',
    description:
      'Public. The latest revocation of a certificate through this service. Whether it is revoked, when and by whom, the contract says (`revocationOf`). 404 if this service has revoked none.',
    security: [],
    request: { params: z.object({ contractAddress: contractAddressField, tokenId: tokenIdField }) },
    responses: {
      200: { ...jsonReply('The revocation', revocationSchema), headers: replyHeaders('Cache-Control') },
      ...errorReplies(400, 404, 429),
    },
  }),
  async (c) => {
    await limitAddress(c, 'document');
    const { contractAddress, tokenId } = c.req.valid('param');
    const revocation = await findLatestRevocation(c.get('services').db, contractAddress, tokenId);
    if (revocation === undefined) throw notFound('Revocation');
    c.header('Cache-Control', `public, max-age=${REVOCATION_SECONDS}`);
    return c.json(revocation, 200);
  },
);
