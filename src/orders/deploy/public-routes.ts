import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { notFound } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField } from '../../core/fields.ts';
import { limitAddress } from '../../http/rate-limit.ts';
import { replyHeaders } from '../../http/api-document.ts';
import { errorReplies } from '../../http/error-replies.ts';
import { jsonReply } from '../../http/json.ts';
import { fromAnySite } from '../../http/reply-headers.ts';
import { createRouter } from '../../http/router.ts';
import { deploymentOf } from '../../catalog/contracts/creation-call.ts';
import { findDeployment } from '../../catalog/contracts/deployments.store.ts';

/** How a contract was created never changes; its forwarder may become known. */
const DEPLOYMENT_SECONDS = 3_600;

const calldata = z.string().meta({ pattern: '^0x([0-9a-f]{2})+$', example: `0x${'5e'.repeat(64)}` });

const deploymentSchema = z
  .object({
    creation: calldata.meta({ description: 'Salt (32 bytes), creation bytecode and constructor arguments' }),
    forwarderCreation: calldata.nullable().meta({
      description: 'The same of the forwarder that the contract trusts; null if there is none, or it is not known',
    }),
  })
  .meta({ id: 'Deployment' });

const PATH = '/deployments/{chainId}/{contractAddress}';

const router = createRouter();
router.use('/deployments/*', fromAnySite);

/** How contracts were created, for the certificate check. Public. */
export const publicDeploymentRoutes = router.openapi(
  createRoute({
    method: 'get',
    path: PATH,
    operationId: 'getDeployment',
    tags: ['Contracts'],
    summary: 'Read how a contract was created',
    description:
      "Public. The calldata for the deployment proxy (0x4e59b44847b379578588920cA78FbF26c0B4956C) that created a contract with CREATE2. It proves itself: the contract's address is a hash of it (EIP-1014). 404 for contracts whose creation is not known, such as registered ones.",
    security: [],
    request: { params: z.object({ chainId: chainIdField, contractAddress: contractAddressField }) },
    responses: {
      200: { ...jsonReply('The deployment', deploymentSchema), headers: replyHeaders('Cache-Control') },
      ...errorReplies(400, 404, 429),
    },
  }),
  async (c) => {
    await limitAddress(c, 'document');
    const found = await findDeployment(c.get('services').db, c.req.valid('param'));
    const deployment = found && deploymentOf(found);
    if (deployment === undefined) throw notFound('Deployment');
    c.header('Cache-Control', `public, max-age=${DEPLOYMENT_SECONDS}`);
    return c.json(deployment, 200);
  },
);
