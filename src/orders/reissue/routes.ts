import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import {
  certificateRevocationReply,
  certificateRevocationReplySchema,
} from '../certificate-revocation/certificate-revocation-kind.ts';
import { orderReply, orderReplySchema } from '../mint/mint-kind.ts';
import { acceptReissue, reissueInput } from './accept-reissue.ts';

const reissueReplySchema = z
  .object({ revocation: certificateRevocationReplySchema, mint: orderReplySchema })
  .meta({ id: 'ReissuedCertificate' });

export const reissueRoutes = createRouter().openapi(
  corporateRoute({
    method: 'post',
    path: '/certificates/reissue',
    operationId: 'reissueCertificate',
    tags: ['Contracts'],
    summary: 'Revoke a certificate and issue it to another holder',
    description:
      'Two orders, accepted together: that of POST /certificates/revoke, and one that mints the same token id with the same document to `receiverAddress`. The mint waits until the revocation is CONFIRMED, and is CANCELLED if that is FAILED or CANCELLED; cancel it alone, and the certificate is only revoked. 409 if the account has not minted the certificate here. Each request makes new orders: send an Idempotency-Key. A key also needs the scope `mint`.',
    scope: 'revoke',
    rateClass: 'read',
    ...creatingBody(reissueInput),
    responses: {
      201: jsonReply('Both orders, PENDING', reissueReplySchema),
      ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
    },
  }),
  async (c) => {
    const { revocation, mint } = await acceptReissue(tenantServices(c), c.req.valid('json'));
    return c.json({ revocation: certificateRevocationReply(revocation), mint: orderReply(mint) }, 201);
  },
);
