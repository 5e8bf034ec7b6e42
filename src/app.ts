import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { VERSION } from './features/admin/health.ts';
import { healthRoutes } from './features/admin/public-routes.ts';
import { contractRoutes } from './features/contracts/routes.ts';
import { publicMetadataRoutes } from './features/metadata/public-routes.ts';
import { METADATA_BODY_BYTES, metadataRoutes } from './features/metadata/routes.ts';
import { mintingRoutes } from './features/minting/routes.ts';
import { requireCorporateAccount } from './http/authentication.ts';
import { limitBody } from './http/body-limit.ts';
import { idempotent } from './http/idempotency.ts';
import { errorReply, notFoundReply } from './http/error-reply.ts';
import { createRouter } from './http/router.ts';
import { servicesOf } from './services.ts';

/** Bodies are small unless a route says otherwise. */
const BODY_BYTES = 64 * 1_024;

/** The POSTs that create something and so take an Idempotency-Key. */
const CREATING = [
  '/contracts/deploy',
  '/contracts/forwarder',
  '/contracts/transfer-ownership',
  '/metadata',
  '/minting/order',
  '/minting/orders',
  '/minting/orders/batch',
  '/minting/relay',
  '/transfer/execute',
];

/** The HTTP API: in which order a request is logged, authenticated and answered. */
export function createApp() {
  const app = createRouter();
  app.onError(errorReply);
  app.notFound(notFoundReply);

  app.use(requestId(), secureHeaders({ crossOriginResourcePolicy: 'cross-origin' }));
  app.use(async (c, next) => {
    const services = servicesOf(c.env);
    const started = services.clock.now();
    c.set('services', services);
    c.set('log', services.log.with({ requestId: c.get('requestId') }));
    await next();
    c.get('log').info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      milliseconds: services.clock.now() - started,
    });
  });

  // What is public comes first; whatever is not matched by then needs an account, unknown paths included.
  app.route('/', healthRoutes);
  app.route('/', publicMetadataRoutes);
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'NFT issuance service',
      version: VERSION,
      description: 'Deploys token contracts, stores metadata, mints, and tells results by signed webhooks.',
    },
  });

  const corporate = createRouter();
  corporate.use(requireCorporateAccount);
  corporate.use('/metadata', limitBody(METADATA_BODY_BYTES));
  for (const path of ['/contracts/*', '/minting/*']) corporate.use(path, limitBody(BODY_BYTES));
  for (const path of CREATING) corporate.use(path, idempotent);
  corporate.route('/', contractRoutes);
  corporate.route('/', metadataRoutes);
  corporate.route('/', mintingRoutes);
  app.route('/', corporate);

  const schemes = app.openAPIRegistry;
  schemes.registerComponent('securitySchemes', 'apiKey', { type: 'apiKey', in: 'header', name: 'x-api-key' });
  schemes.registerComponent('securitySchemes', 'corporateId', { type: 'apiKey', in: 'header', name: 'X-CORPORATE-ID' });
  schemes.registerComponent('securitySchemes', 'adminKey', {
    type: 'apiKey',
    in: 'header',
    name: 'x-admin-secret-key',
  });
  return app;
}
