import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { addressField, chainIdField, contractAddressField, instantField } from '../../core/fields.ts';
import { limitAddress } from '../../http/rate-limit.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { fromAnySite } from '../../http/reply-headers.ts';
import { createRouter } from '../../http/router.ts';
import { readIssuer } from './read-issuer.ts';

/** How long a confirmation may be shown after it was withdrawn. */
const ISSUER_SECONDS = 60;

const issuerSchema = z
  .object({
    name: z.string().meta({ description: 'Public name, up to 100 characters', example: 'Example Watches' }),
    logoUrl: z.string().meta({ description: 'URL of its logo, https', example: 'https://watches.example/logo.svg' }),
    domain: z.string().meta({
      description: 'Its domain, which proves that the wallet is its own: /.well-known/nft-issuer.json there names it',
      example: 'watches.example',
    }),
    confirmedAt: instantField.meta({ description: 'When the operator confirmed it, UTC' }),
  })
  .meta({ id: 'Issuer' });

const issuerRouter = createRouter();
issuerRouter.use('/issuers/*', fromAnySite);

/** Who issuers are, for the certificate check. Public. */
export const issuerRoutes = issuerRouter.openapi(
  createRoute({
    method: 'get',
    path: '/issuers/{chainId}/{contractAddress}/{walletAddress}',
    operationId: 'getIssuer',
    tags: ['Contracts'],
    summary: 'Read who an issuer is',
    description:
      'Public. Who the wallet is that has issued certificates of a contract (`issuerOf`), as the operator has confirmed it; what of it its domain proves, the caller must check. 404 if the operator has not confirmed it, or if the contract is not one of the wallet’s account whose creation proves that it, and the forwarder that it trusts, have published code: any other contract can name any wallet as its issuer.',
    security: [],
    request: {
      params: z.object({
        chainId: chainIdField,
        contractAddress: contractAddressField,
        walletAddress: addressField.meta({ description: 'The issuing wallet, in hex' }),
      }),
    },
    responses: {
      200: { ...jsonReply('The issuer', issuerSchema), headers: replyHeaders('Cache-Control') },
      ...errorReplies(400, 404, 429),
    },
  }),
  async (c) => {
    await limitAddress(c, 'document');
    const issuer = await readIssuer(c.get('services'), c.req.valid('param'));
    c.header('Cache-Control', `public, max-age=${ISSUER_SECONDS}`);
    return c.json(issuer, 200);
  },
);
