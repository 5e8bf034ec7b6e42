import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { isAddress } from 'viem';
import { notFound } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, tokenIdField } from '../../core/fields.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { addressReply, chainIdReply, contractAddressReply, tokenIdReply } from '../../core/reply-fields.ts';
import { limitAddress } from '../../http/rate-limit.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { fromAnySite, unlessKnown } from '../../http/reply-headers.ts';
import { createRouter } from '../../http/router.ts';
import { cachedBriefly } from '../metadata/public-form.ts';
import { publicCollection } from './public-collection.ts';
import { MAX_COUNTED, readCollection, readCollectionTokens } from './read-collection.ts';

const url = (description: string, example: string) => z.string().optional().meta({ description, example });

const documentSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the collection', example: 'Opening nights' }),
    symbol: z.string().optional().meta({ description: 'Its symbol', example: 'TIX' }),
    description: z.string().optional().meta({ description: 'About the collection', example: 'Tickets of the season.' }),
    image: url('URL of its picture', 'https://example.com/logo.png'),
    banner_image: url('URL of a wide picture', 'https://example.com/banner.png'),
    featured_image: url('URL of a square picture', 'https://example.com/featured.png'),
    external_link: url('URL of a page about the collection', 'https://example.com/tickets'),
    collaborators: z
      .array(z.string())
      .optional()
      .meta({ description: 'Wallets that may edit how marketplaces show it' }),
  })
  .meta({ id: 'Collection' });

const PATH = '/metadata/:contractAddress{0[xX][^/]*}';

const document = {
  method: 'get' as const,
  operationId: 'getCollection',
  tags: ['Contracts'],
  summary: "Read a collection's public metadata",
  description:
    'Public. `contractURI()` of contracts with this service as their base URI points here. The document of ERC-7572, as PUT /contracts/{id}/metadata has set it; until then the name and the symbol of a contract that this service has deployed. 404 for other contracts.',
  security: [],
  responses: {
    200: { ...jsonReply('The document', documentSchema), headers: replyHeaders('ETag', 'Cache-Control', 'Age') },
    304: {
      description: 'Unchanged since the ETag in If-None-Match',
      headers: replyHeaders('ETag', 'Cache-Control', 'Age'),
    },
    ...errorReplies(400, 404, 429),
  },
};

export const publicCollectionRoutes = createRouter();

publicCollectionRoutes.use(PATH, fromAnySite, unlessKnown);
// The API document cannot have a second path that is one parameter: {id} is that of a document of the account.
publicCollectionRoutes.openAPIRegistry.registerPath({
  ...document,
  path: '/metadata/0x{contractAddress}',
  request: {
    params: z.object({
      contractAddress: z.string().meta({
        description: 'Address of the contract after its 0x, in any letter case',
        pattern: '^[0-9a-fA-F]{40}$',
        example: '8ba1f109551bd432803012645ac136ddd64dba72',
      }),
    }),
  },
});
publicCollectionRoutes.openapi(
  createRoute({
    ...document,
    path: PATH,
    hide: true,
    request: {
      params: z.object({
        contractAddress: z
          .string()
          .toLowerCase()
          .refine((value): value is LowerCaseAddress => isAddress(value, { strict: false }), 'must be an address'),
      }),
    },
  }),
  async (c) => {
    const { contractAddress } = c.req.valid('param');
    const found = await publicCollection(c.get('services'), contractAddress, (subject) => limitAddress(c, subject));
    if (found !== undefined) return c.newResponse(found.body, 200, found.headers);
    // The contract may be deployed at any moment.
    c.header('cache-control', 'no-store');
    throw notFound('Collection');
  },
);

const place = z.object({ chainId: chainIdField, contractAddress: contractAddressField });

const collectionSchema = z
  .object({
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard' }),
    contractType: z
      .enum(['standard', 'certificate'])
      .meta({ description: 'standard: tokens can be transferred. certificate: they cannot' }),
    ownerAddress: addressReply
      .nullable()
      .meta({ description: 'Who owns the contract and mints, as this service knows' }),
    hasPublishedCode: z.boolean().meta({
      description:
        'Whether its creation proves that it, and the forwarder that it trusts, have published code; if not, it may let anyone mint',
    }),
    tokenCount: z
      .int()
      .meta({ description: `How many of its tokens have metadata here, at most ${MAX_COUNTED}`, example: 42 }),
    hasMoreTokens: z.boolean().meta({ description: `Whether there are more than ${MAX_COUNTED}` }),
  })
  .meta({ id: 'CollectionFacts' });

const tokensSchema = z
  .object({
    tokenIds: z.array(tokenIdReply).meta({ description: 'Ids of tokens with metadata, those minted last first' }),
    nextBefore: tokenIdReply.nullable().meta({ description: '`before` of the next page; null on the last page' }),
  })
  .meta({ id: 'CollectionTokens' });

publicCollectionRoutes.use('/collections/*', fromAnySite);

publicCollectionRoutes
  .openapi(
    createRoute({
      method: 'get',
      path: '/collections/{chainId}/{contractAddress}',
      operationId: 'getCollectionFacts',
      tags: ['Contracts'],
      summary: 'Read about a collection',
      description:
        'Public. What the collection page shows besides its document. 404 unless GET /metadata/{contractAddress} has a document.',
      security: [],
      request: { params: place },
      responses: {
        200: { ...jsonReply('The collection', collectionSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => {
      const services = c.get('services');
      const facts = await readCollection(services, c.req.valid('param'), (subject) => limitAddress(c, subject));
      c.header('Cache-Control', cachedBriefly(services.settings));
      return c.json(facts, 200);
    },
  )
  .openapi(
    createRoute({
      method: 'get',
      path: '/collections/{chainId}/{contractAddress}/tokens',
      operationId: 'listCollectionTokens',
      tags: ['Contracts'],
      summary: "List a collection's tokens, most recently minted first",
      description:
        'Public. GET /metadata/{contractAddress}/{tokenId} has the document of each token, unless it was burned.',
      security: [],
      request: {
        params: place,
        query: z.object({
          before: tokenIdField.optional().meta({ description: 'nextBefore of the previous page', example: '31' }),
        }),
      },
      responses: {
        200: { ...jsonReply('A page', tokensSchema), headers: replyHeaders('Cache-Control') },
        ...errorReplies(400, 404, 429),
      },
    }),
    async (c) => {
      const services = c.get('services');
      const { tokenIds, nextBefore } = await readCollectionTokens(services, c.req.valid('param'), {
        before: c.req.valid('query').before,
        allowLookup: (subject) => limitAddress(c, subject),
      });
      c.header('Cache-Control', cachedBriefly(services.settings));
      return c.json({ tokenIds: [...tokenIds], nextBefore }, 200);
    },
  );
