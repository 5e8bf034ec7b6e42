import { createRoute } from '@hono/zod-openapi';
import { corporateSecurity } from '../../http/authentication.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { listNfts, listNftsQuery } from './list-nfts.ts';
import { walletNftsSchema } from './nft-reply.ts';

export const walletRoutes = createRouter().openapi(
  createRoute({
    method: 'get',
    path: '/api/wallet/nfts',
    tags: ['Wallet'],
    summary: 'List the NFTs of a wallet',
    description:
      'By the NFT index, of registered ACTIVE contracts. A page may be empty and have others after it: the end is where nextPageToken is null.',
    security: corporateSecurity,
    request: { query: listNftsQuery },
    responses: {
      200: { description: 'One page', content: { 'application/json': { schema: walletNftsSchema } } },
      ...errorReplies(400, 401, 403, 502),
    },
  }),
  async (c) => c.json(await listNfts(tenantServices(c), c.req.valid('query')), 200),
);
