import { corporateRoute } from '../../http/corporate-route.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { createRouter, tenantServices } from '../../http/router.ts';
import { listNfts, listNftsQuery, walletNftsSchema } from './list-nfts.ts';

export const walletRoutes = createRouter().openapi(
  corporateRoute({
    method: 'get',
    path: '/api/wallet/nfts',
    operationId: 'listWalletNfts',
    tags: ['Wallet'],
    summary: 'List the NFTs of a wallet',
    description:
      'NFTs of registered ACTIVE contracts, from the NFT index; where none is configured, of own contracts from the transfers that they report (see `GET /holdings`). A page may be empty although more follow; the last page has nextPageToken null.',
    scope: 'read',
    rateClass: 'index',
    request: { query: listNftsQuery },
    responses: {
      200: jsonReply('A page', walletNftsSchema),
      ...errorReplies(400, 401, 403, 502),
    },
  }),
  async (c) => c.json(await listNfts(tenantServices(c), c.req.valid('query')), 200),
);
