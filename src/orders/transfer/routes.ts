import { z } from 'zod';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody, jsonBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { requireTestSignatures } from '../../http/require-test-signatures.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { preparationDescription, preparedRequestSchema } from '../../relay/prepare-request.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptRevocation, revocationInput } from './accept-revocation.ts';
import {
  acceptTransfer,
  createTransferSignature,
  prepareTransfer,
  transferInput,
  transferPreparationInput,
  transferSignatureInput,
  transferSignatureSchema,
} from './accept-transfer.ts';
import { prepareRevocation, revocationPreparationInput } from './prepare-revocation.ts';
import { revocationKind } from './revocation-kind.ts';
import { transferKind, transferReply, transferReplySchema } from './transfer-kind.ts';

const tags = ['Gasless transfer'];

/**
 * Either of two bodies, by `purpose`: a transfer without it. In the API document a discriminator must not be absent,
 * and the generator adds one if both have names: so the second has none.
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
      description: `${preparationDescription('POST /transfer/execute')} With \`purpose\` cancel: a request that only uses up the nonce of one that its signer revokes. Send \`purpose\` with the signature.`,
      scope: 'transfer',
      rateClass: 'read',
      ...jsonBody(purposeOf(transferPreparationInput, revocationPreparationInput)),
      responses: {
        200: jsonReply('The data to sign', preparedRequestSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 502),
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
  .route(
    '/',
    readRoutes([transferKind, revocationKind], {
      one: 'a transfer order',
      list: { many: 'transfer orders', parties: { from: 'Only of this holder' } },
    }),
  );
