import { z } from 'zod';
import { contractAddressField, tokenIdField } from '../../core/fields.ts';
import { ORDER_STATUS_MEANING, ORDER_STATUSES, queuedStatus } from '../../platform/database/vocabulary/order-status.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { creatingBody, jsonBody } from '../../http/json-body.ts';
import { jsonReply } from '../../http/json.ts';
import { requireTestSignatures } from '../../http/require-test-signatures.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { preparationDescription, preparedRequestSchema } from '../../relay/prepare-request.ts';
import { readRoutes } from '../read-routes.ts';
import { acceptBatch, acceptMint, batchInput } from './accept-mints.ts';
import { acceptRelayedMint, relayInput } from './accept-relayed-mint.ts';
import { batchReply, batchReplySchema } from '../../http/batch-reply.ts';
import { checkOccupancy, occupancyInput, occupancySchema } from './check-occupancy.ts';
import { orderInput } from './draft-orders.ts';
import { listOrdersOfToken } from './list-orders-of-token.ts';
import { mintKind, orderReply, orderReplySchema } from './mint-kind.ts';
import type { MintingOrder } from './minting-orders.store.ts';
import {
  createMintSignature,
  mintPreparationInput,
  mintSignatureInput,
  mintSignatureSchema,
  prepareMint,
} from './prepare-mint.ts';
import { relayMintKind } from './relay-mint-kind.ts';

const tags = ['Minting'];

const createOrderRoute = corporateRoute({
  method: 'post',
  path: '/minting/order',
  operationId: 'orderMint',
  tags,
  summary: 'Order a mint',
  description:
    'Accepted at once with status PENDING and executed exactly once, asynchronously. Poll it, or wait for mint.confirmed. 409 if the token exists or has an unfinished order, or the metadata is in use; the message says which. 502 if the chain must be read to know whether the token exists, and does not answer.',
  scope: 'mint',
  ...creatingBody(orderInput),
  responses: {
    201: jsonReply('The order, PENDING', orderReplySchema),
    ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
  },
});

/** The response of POST /minting/relay: the order's response form with QUEUED instead of PENDING. */
const relayReplySchema = z
  .object({
    ...orderReplySchema.shape,
    status: z.enum(ORDER_STATUSES.map(queuedStatus)).meta({ description: ORDER_STATUS_MEANING }),
  })
  .meta({ id: 'RelayedMintingOrder' });

function relayReply(order: MintingOrder): z.infer<typeof relayReplySchema> {
  const reply = orderReply(order);
  return { ...reply, status: queuedStatus(reply.status) };
}

const batchSchema = batchReplySchema(
  'order',
  { order: orderReplySchema },
  { refusal: 'MintingOrderRefusal', result: 'MintingOrdersResult' },
);

const ordersOfToken = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/minting/by-token',
    operationId: 'listMintingOrdersOfToken',
    tags,
    summary: 'Read the orders of a token',
    description: 'The newest 1000, newest first.',
    scope: 'read',
    request: { query: z.object({ contractAddress: contractAddressField, tokenId: tokenIdField }) },
    responses: {
      200: jsonReply('The orders', z.array(orderReplySchema)),
      ...errorReplies(400, 401, 403),
    },
  }),
  async (c) => c.json((await listOrdersOfToken(tenantServices(c), c.req.valid('query'))).map(orderReply), 200),
);

export const mintingRoutes = createRouter();

// The specification has both spellings of this path.
for (const [path, operationId, summary] of [
  ['/minting/order', 'orderMint', 'Order a mint'],
  ['/minting/orders', 'orderMintPlural', 'Order a mint, at the other path'],
] as const) {
  mintingRoutes.openapi({ ...createOrderRoute, path, operationId, summary }, async (c) => {
    const order = await acceptMint(tenantServices(c), c.req.valid('json'));
    return c.json(orderReply(order), 201);
  });
}

mintingRoutes
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/minting/orders/batch',
      operationId: 'orderMints',
      tags,
      summary: 'Order up to 100 mints',
      description:
        'Each is accepted or refused individually; the results are in the order of the request. Retry-After if all are refused with 429.',
      scope: 'mint',
      ...creatingBody(batchInput),
      responses: {
        200: { ...jsonReply('One result per order', batchSchema), headers: replyHeaders('Retry-After') },
        ...errorReplies(400, 401, 403, 409, 413, 422),
      },
    }),
    async (c) => {
      const results = await acceptBatch(tenantServices(c), c.req.valid('json'));
      return c.json(
        batchReply(c, results, (order) => ({ order: orderReply(order) })),
        200,
      );
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/minting/signature',
      operationId: 'signMint',
      tags,
      summary: 'Sign a mint, for tests',
      description: 'Only if TRANSFER_TEST_SIGNATURE is true. Pass the values to POST /minting/relay unchanged.',
      scope: 'mint',
      rateClass: 'signature',
      ...jsonBody(mintSignatureInput, [requireTestSignatures]),
      responses: {
        200: jsonReply('The signed data and the signature', mintSignatureSchema),
        ...errorReplies(400, 401, 403, 404, 413, 502),
      },
    }),
    async (c) => c.json(await createMintSignature(tenantServices(c), c.req.valid('json')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/minting/prepare',
      operationId: 'prepareMint',
      tags,
      summary: "Prepare a mint for the contract's owner to sign",
      description: preparationDescription('POST /minting/relay'),
      scope: 'mint',
      rateClass: 'read',
      ...jsonBody(mintPreparationInput),
      responses: {
        200: jsonReply('The data to sign', preparedRequestSchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 502),
      },
    }),
    async (c) => c.json(await prepareMint(tenantServices(c), c.req.valid('json')), 200),
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/minting/relay',
      operationId: 'relayMint',
      tags,
      summary: "Order a mint that the contract's owner signed",
      description:
        "The account's wallet pays. Accepted at once with status QUEUED and executed at most once, however often the same signed request is posted. Poll GET /minting/{id}, or wait for mint.confirmed.",
      scope: 'mint',
      rateClass: 'relay',
      ...creatingBody(relayInput),
      responses: {
        200: jsonReply('The same signed request was accepted before: the current state of its order', relayReplySchema),
        201: jsonReply('The order, QUEUED', relayReplySchema),
        ...errorReplies(400, 401, 403, 404, 409, 413, 422, 502),
      },
    }),
    async (c) => {
      const { order, isNew } = await acceptRelayedMint(tenantServices(c), c.req.valid('json'));
      return c.json(relayReply(order), isNew ? 201 : 200);
    },
  )
  .openapi(
    corporateRoute({
      method: 'post',
      path: '/minting/occupancy/check',
      operationId: 'checkOccupancy',
      tags,
      summary: 'Check whether a token id and metadata are free',
      description: 'Applies the same rules as an order. Without metadataId only the token is checked.',
      scope: 'read',
      rateClass: 'read',
      ...jsonBody(occupancyInput),
      responses: {
        200: jsonReply('The result of the check', occupancySchema),
        ...errorReplies(400, 401, 403, 404, 413, 502),
      },
    }),
    async (c) => c.json(await checkOccupancy(tenantServices(c), c.req.valid('json')), 200),
  )
  .route(
    '/',
    readRoutes(
      [mintKind, relayMintKind],
      {
        one: 'a minting order',
        list: {
          many: 'minting orders',
          parties: { receiverAddress: 'Only to this receiver' },
          byTransaction:
            'Only orders with a recorded transaction are found. One transaction may carry out many mints: the first is returned; GET /minting?txHash= lists all',
        },
      },
      ordersOfToken,
    ),
  );
