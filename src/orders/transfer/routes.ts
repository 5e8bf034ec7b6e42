import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { recordIdParams, txHashParams } from '../../core/fields.ts';
import { pageSchema } from '../../core/paging.ts';
import { creatingBody, jsonBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { requireTestSignatures } from '../../http/require-test-signatures.ts';
import { preparationDescription, preparedRequestSchema } from '../../relay/prepare-request.ts';
import {
  createTransferSignature,
  transferSignatureInput,
  transferSignatureSchema,
} from './create-transfer-signature.ts';
import { acceptRevocation, revocationInput } from './accept-revocation.ts';
import { acceptTransfer, transferInput } from './accept-transfer.ts';
import { getTransfer, getTransferByTx } from './get-transfer.ts';
import { listTransfers, transferListQuery } from './list-transfers.ts';
import { prepareRevocation, revocationPreparationInput } from './prepare-revocation.ts';
import { prepareTransfer, transferPreparationInput } from './prepare-transfer.ts';
import { transferReply, transferReplySchema } from './transfer-reply.ts';

const tags = ['Gasless transfer'];

/**
 * Either of two bodies, by `purpose`: a transfer without it. In the API document a discriminator must not be absent, and the generator adds one
 * if both have names: so the second has none.
 */
function purposeOf<Transfer extends z.ZodObject, Revocation extends z.ZodObject>(
  transfer: Transfer,
  revocation: Revocation,
) {
  return z.discriminatedUnion('purpose', [transfer, revocation], {
    error: ({ code }) => (code === 'invalid_union' ? 'must be transfer or cancel' : undefined),
  });
}

export const transferRoutes = createRouter()
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/transfer/signature',
      operationId: 'signTransfer',
      tags,
      summary: 'Sign a transfer, for tests',
      description: 'Only if TRANSFER_TEST_SIGNATURE is true. In production the holder signs with a wallet.',
      scope: 'transfer',
      rateClass: 'signature',
      ...jsonBody(transferSignatureInput, [requireTestSignatures]),
      responses: {
        200: jsonReply('The signed data and the signature', transferSignatureSchema),
        ...errorReplies(400, 401, 403, 404, 413, 502),
      },
    }),
    async (c) => c.json(await createTransferSignature(tenantServices(c), c.req.valid('json')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/transfer/prepare',
      operationId: 'prepareTransfer',
      tags,
      summary: 'Prepare a transfer for its holder to sign',
      description: `${preparationDescription('POST /transfer/execute')} With \`purpose\` cancel: that of a request that only uses up the nonce of one that its signer has given up. Send \`purpose\` and the signature along.`,
      scope: 'transfer',
      rateClass: 'read',
      ...creatingBody(purposeOf(transferPreparationInput, revocationPreparationInput)),
      responses: {
        200: jsonReply('The data to sign', preparedRequestSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const body = c.req.valid('json');
      const services = tenantServices(c);
      const prepared = body.purpose === 'cancel' ? prepareRevocation(services, body) : prepareTransfer(services, body);
      return c.json(await prepared, 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/transfer/execute',
      operationId: 'executeTransfer',
      tags,
      summary: 'Execute a transfer that its holder signed',
      description:
        "The account's wallet pays. Accepted at once with status PENDING and executed at most once, however often the same signed request is posted. Poll it, or wait for transfer.confirmed. With `purpose` cancel, a request that only uses up its signer's nonce: wait for revocation.confirmed.",
      scope: 'transfer',
      rateClass: 'relay',
      ...creatingBody(purposeOf(transferInput, revocationInput)),
      responses: {
        200: jsonReply(
          'The same signed request was accepted before: the current state of its order',
          transferReplySchema,
        ),
        201: jsonReply('The order, PENDING', transferReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const body = c.req.valid('json');
      const services = tenantServices(c);
      const { order, isNew } =
        body.purpose === 'cancel' ? await acceptRevocation(services, body) : await acceptTransfer(services, body);
      return c.json(transferReply(order), isNew ? 201 : 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/transfer',
      operationId: 'listTransferOrders',
      tags,
      summary: 'List transfer orders, newest first',
      scope: 'read',
      request: { query: transferListQuery },
      responses: {
        200: jsonReply('A page', pageSchema(transferReplySchema)),
        ...errorReplies(400, 401, 403),
      },
    }),
    async (c) => c.json(await listTransfers(tenantServices(c), c.req.valid('query')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/transfer/by-tx/{txHash}',
      operationId: 'getTransferOrderByTransaction',
      tags,
      summary: 'Read a transfer order by its transaction',
      scope: 'read',
      request: { params: txHashParams },
      responses: {
        200: jsonReply('The order', transferReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => c.json(transferReply(await getTransferByTx(tenantServices(c), c.req.valid('param').txHash)), 200),
  )
  .openapi(
    corporateRoute({
      method: 'get',
      path: '/transfer/{id}',
      operationId: 'getTransferOrder',
      tags,
      summary: 'Read a transfer order',
      scope: 'read',
      request: { params: recordIdParams },
      responses: {
        200: jsonReply('The order', transferReplySchema),
        ...errorReplies(400, 401, 403, 404),
      },
    }),
    async (c) => c.json(transferReply(await getTransfer(tenantServices(c), c.req.valid('param').id)), 200),
  );
