import { recordIdParams, txHashParams } from '../../core/fields.ts';
import { pageSchema } from '../../core/paging.ts';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { acceptCertificateRevocation, certificateRevocationInput } from './accept-certificate-revocation.ts';
import { certificateRevocationReply, certificateRevocationReplySchema } from './certificate-revocation-reply.ts';
import { getCertificateRevocation, getCertificateRevocationByTx } from './get-certificate-revocation.ts';
import { certificateRevocationListQuery, listCertificateRevocations } from './list-certificate-revocations.ts';

const tags = ['Contracts'];

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
      method: 'get',
      path: '/certificates/revoke',
      operationId: 'listCertificateRevocations',
      tags,
      summary: 'List revocations of certificates, newest first',
      scope: 'read',
      request: { query: certificateRevocationListQuery },
      responses: {
        200: jsonReply('A page', pageSchema(certificateRevocationReplySchema)),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listCertificateRevocations(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/certificates/revoke/by-tx/{txHash}',
      operationId: 'getCertificateRevocationByTransaction',
      tags,
      summary: 'Read the revocation of a certificate by its transaction',
      scope: 'read',
      request: { params: txHashParams },
      responses: {
        200: jsonReply('The order', certificateRevocationReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const order = await getCertificateRevocationByTx(tenantServices(c), c.req.valid('param').txHash);
      return c.json(certificateRevocationReply(order), 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/certificates/revoke/{id}',
      operationId: 'getCertificateRevocation',
      tags,
      summary: 'Read the revocation of a certificate',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: jsonReply('The order', certificateRevocationReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => {
      const order = await getCertificateRevocation(tenantServices(c), c.req.valid('param').id);
      return c.json(certificateRevocationReply(order), 200);
    },
  );
