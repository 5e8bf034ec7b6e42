import { replyHeaders } from '../../http/api-document.ts';
import { batchReply, batchReplySchema } from '../../http/batch-reply.ts';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { readRoutes } from '../read-routes.ts';
import {
  acceptCertificateRevocation,
  acceptRevocationBatch,
  certificateRevocationInput,
  revocationBatchInput,
} from './accept-certificate-revocation.ts';
import {
  certificateRevocationKind,
  certificateRevocationReply,
  certificateRevocationReplySchema,
} from './certificate-revocation-kind.ts';

const tags = ['Contracts'];

/** Enough for a hundred revocations with the longest reasons. */
const BATCH_BYTES = 256 * 1_024;

const batchSchema = batchReplySchema(
  'revocation',
  { revocation: certificateRevocationReplySchema },
  { refusal: 'CertificateRevocationRefusal', result: 'CertificateRevocationsResult' },
);

export const certificateRevocationRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/certificates/revoke',
      operationId: 'revokeCertificate',
      tags,
      summary: 'Revoke a certificate',
      description:
        "For contracts that were deployed with `burnAuth` issuer or both. The account's wallet, which must own the contract, burns the certificate. Queued: poll the order, or wait for certificate-revocation.confirmed. The certificate check then says that it was revoked, when and by whom. Each request is an order of its own: send an Idempotency-Key.",
      scope: 'revoke',
      rateClass: 'read',
      ...creatingBody(certificateRevocationInput),
      responses: {
        201: jsonReply('The order, PENDING', certificateRevocationReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const order = await acceptCertificateRevocation(tenantServices(c), c.req.valid('json'));
      return c.json(certificateRevocationReply(order), 201);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/certificates/revoke/batch',
      operationId: 'revokeCertificates',
      tags,
      summary: 'Revoke up to 100 certificates',
      description:
        'Each is accepted or refused individually, as by POST /certificates/revoke; the results are in the order of the request. Each counts as a read. Retry-After if all are refused with 429.',
      scope: 'revoke',
      rateClass: 'read',
      ...creatingBody(revocationBatchInput, { maxBytes: BATCH_BYTES }),
      responses: {
        200: { ...jsonReply('One result per revocation', batchSchema), headers: replyHeaders('Retry-After') },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const results = await acceptRevocationBatch(tenantServices(c), c.req.valid('json'));
      return c.json(
        batchReply(c, results, (order) => ({ revocation: certificateRevocationReply(order) })),
        200,
      );
    },
  )
  .route(
    '/',
    readRoutes([certificateRevocationKind], {
      one: 'the revocation of a certificate',
      list: { many: 'revocations of certificates', parties: { from: 'Only of this former holder' } },
    }),
  );
