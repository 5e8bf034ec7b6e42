import { secureHeaders } from 'hono/secure-headers';
import { VERSION } from './admin/health.store.ts';
import { healthRoutes } from './admin/public-routes.ts';
import { limitsRoutes } from './admin/limits-routes.ts';
import { operatorRoutes } from './admin/operator-routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { assetRoutes } from './catalog/assets/routes.ts';
import { contractRoutes } from './catalog/contracts/routes.ts';
import { publicMetadataRoutes } from './catalog/metadata/public-routes.ts';
import { metadataRoutes } from './catalog/metadata/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { describeEvents } from './orders/event-payloads.ts';
import { orderRoutes } from './orders/kinds.ts';
import { walletRoutes } from './catalog/wallet/routes.ts';
import { requireAdmin } from './http/authentication.ts';
import { errorReply, notFoundReply } from './http/error-reply.ts';
import { certificateCheckData } from './http/certificate-check-page.ts';
import { servePage, servePageFile } from './http/pages.ts';
import { requestIdentity, noStoreByDefault } from './http/reply-headers.ts';
import { recordAdminChange } from './http/record-change.ts';
import { requireRoute } from './http/require-route.ts';
import { createRouter } from './http/router.ts';
import { createLog } from './core/log.ts';
import { redactionOf } from './core/redaction.ts';
import { servicesOf } from './services.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** The headers that authenticate a request. */
const SECURITY_SCHEMES = {
  accountKey: {
    name: 'x-api-key',
    description: 'A key of the account, made by POST /keys, with the scope that the operation names',
  },
  apiKey: { name: 'x-api-key', description: "The operator's API key, for the account in X-CORPORATE-ID" },
  corporateId: { name: 'X-CORPORATE-ID' },
  adminKey: { name: 'x-admin-secret-key' },
};

/** Builds the HTTP API: the middleware in order, and the routes. */
export function createApp() {
  const app = createRouter();
  app.onError(errorReply);
  app.notFound(notFoundReply);

  app.use(requestIdentity, secureHeaders({ crossOriginResourcePolicy: 'cross-origin' }), noStoreByDefault);
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

  // Public routes come first. Every route after them needs a key: an admin's or, by `corporateRoute`, an account's.
  app.route('/', healthRoutes);
  app.route('/', publicMetadataRoutes);
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'NFT issuance service',
      version: VERSION,
      description: 'Deploys token contracts, stores metadata, mints tokens, and reports results by signed webhooks.',
    },
  });

  app.get('/console', servePage('console'));
  const certificateCheck = servePage('verify', certificateCheckData);
  app.get('/verify', certificateCheck);
  app.get('/verify/:contractAddress{0[xX][0-9a-fA-F]{40}}/:tokenId{\\d{1,78}}', certificateCheck);
  app.get('/pages/:page/:file', servePageFile);

  app.use(requireRoute);

  const admin = createRouter();
  for (const path of ['/admin/*', '/status']) admin.use(path, requireAdmin, recordAdminChange);
  admin.route('/', adminRoutes);
  admin.route('/', operatorRoutes);
  app.route('/', admin);

  for (const routes of orderRoutes) app.route('/', routes);
  app.route('/', contractRoutes);
  app.route('/', metadataRoutes);
  app.route('/', walletRoutes);
  app.route('/', assetRoutes);
  const events = describeEvents();
  for (const routes of webhookRoutes(events.map(({ type }) => type))) app.route('/', routes);
  app.route('/', limitsRoutes);
  app.route('/', keyRoutes);
  app.route('/', auditRoutes);

  const document = app.openAPIRegistry;
  for (const { type, when, payload } of events) {
    document.registerWebhook({
      method: 'post',
      path: type,
      tags: ['Webhooks'],
      summary: when,
      description: 'Signed according to Standard Webhooks. A 2xx response counts as delivered.',
      request: { body: { required: true, content: { 'application/json': { schema: payload } } } },
      responses: { 200: { description: 'Delivered' } },
    });
  }
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    document.registerComponent('securitySchemes', name, { type: 'apiKey', in: 'header', ...scheme });
  }
  return app;
}
