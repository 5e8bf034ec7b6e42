import { except } from 'hono/combine';
import { secureHeaders } from 'hono/secure-headers';
import { VERSION } from './admin/health.store.ts';
import { healthRoutes } from './admin/public-routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { assetRoutes, UPLOAD_PATH } from './catalog/assets/routes.ts';
import { contractRoutes } from './catalog/contracts/routes.ts';
import { deployRoutes } from './orders/deploy/routes.ts';
import { ownershipRoutes } from './orders/ownership/routes.ts';
import { publicMetadataRoutes } from './catalog/metadata/public-routes.ts';
import { METADATA_BODY_BYTES, metadataRoutes } from './catalog/metadata/routes.ts';
import { mintingRoutes } from './orders/mint/routes.ts';
import { transferRoutes } from './orders/transfer/routes.ts';
import { walletRoutes } from './catalog/wallet/routes.ts';
import { requireAdmin, requireCorporateAccount, requireStillActive } from './http/authentication.ts';
import { limitBody } from './http/body-limit.ts';
import { idempotent } from './http/idempotency.ts';
import { errorReply, notFoundReply } from './http/error-reply.ts';
import { limitRate } from './http/rate-limit.ts';
import { requestIdentity, uncachedUnlessSaid } from './http/reply-headers.ts';
import { requireRoute } from './http/require-route.ts';
import { createRouter } from './http/router.ts';
import { requireUtf8 } from './http/utf8-body.ts';
import { createLog } from './core/log.ts';
import { redactionOf } from './core/redaction.ts';
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

  app.use(requestIdentity, secureHeaders({ crossOriginResourcePolicy: 'cross-origin' }), uncachedUnlessSaid);
  app.use(async (c, next) => {
    const log = createLog(redactionOf(c.env), { requestId: c.get('requestId') });
    c.set('log', log);
    const services = servicesOf(c.env, log);
    const started = services.clock.now();
    c.set('services', services);
    await next();
    c.get('log').info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      milliseconds: services.clock.now() - started,
    });
  });

  // What is public comes first; every route after it needs a key.
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

  app.use(requireRoute);

  const admin = createRouter();
  for (const path of ['/admin/*', '/status']) admin.use(path, requireAdmin);
  admin.route('/', adminRoutes);
  app.route('/', admin);

  const corporate = createRouter();
  corporate.use(requireCorporateAccount, limitRate);
  corporate.use((c, next) => {
    // A file is counted while it is passed on.
    if (c.req.path === UPLOAD_PATH) return next();
    return limitBody(c.req.path === '/metadata' ? METADATA_BODY_BYTES : BODY_BYTES)(c, next);
  });
  // What reads a file looks again itself.
  corporate.use(except(UPLOAD_PATH, requireUtf8, requireStillActive));
  for (const path of CREATING) corporate.use(path, idempotent);
  corporate.route('/', deployRoutes);
  corporate.route('/', ownershipRoutes);
  corporate.route('/', contractRoutes);
  corporate.route('/', metadataRoutes);
  corporate.route('/', mintingRoutes);
  corporate.route('/', transferRoutes);
  corporate.route('/', walletRoutes);
  corporate.route('/', assetRoutes);
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
