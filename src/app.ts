import type { MiddlewareHandler } from 'hono';
import { isAddress } from 'viem';
import { VERSION } from './admin/health.store.ts';
import { healthRoutes } from './admin/public-routes.ts';
import { limitsRoutes } from './limits/routes.ts';
import { operatorRoutes } from './admin/operator-routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { assetRoutes } from './catalog/assets/routes.ts';
import { publicCollection } from './catalog/collections/public-collection.ts';
import { publicCollectionRoutes } from './catalog/collections/public-routes.ts';
import { collectionRoutes } from './catalog/collections/routes.ts';
import { contractRoutes } from './catalog/contracts/routes.ts';
import { issuerRoutes } from './catalog/issuers/public-routes.ts';
import { metadataRoutes, metadataVersionRoutes } from './catalog/metadata/routes.ts';
import { publicDocument } from './catalog/metadata/public-document.ts';
import type { LookupSubject } from './catalog/metadata/known-contracts.ts';
import { tokenOf } from './catalog/metadata/token-ids.ts';
import { publicMetadataRoutes, schemaRoutes } from './catalog/metadata/public-routes.ts';
import { credentialRoutes } from './credentials/public-routes.ts';
import { createAuthenticator } from './keys/authenticate.ts';
import { keyRoutes } from './keys/routes.ts';
import { describeEvents } from './orders/event-payloads.ts';
import { publicClaimRoutes } from './orders/mint/claims/public-routes.ts';
import { publicRevocationRoutes } from './orders/certificate-revocation/public-routes.ts';
import { publicDeploymentRoutes } from './orders/deploy/public-routes.ts';
import { importRoutes } from './imports/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { orderKinds, orderRoutes } from './orders/kinds.ts';
import { walletRoutes } from './catalog/wallet/routes.ts';
import { holdingRoutes } from './holdings/routes.ts';
import { limitAddress } from './http/rate-limit.ts';
import type { AppEnv } from './http/app-env.ts';
import { apiDocument, registerCommonParts, withServer } from './http/api-document.ts';
import examples from './http/examples.json';
import { requireAdmin } from './http/authentication.ts';
import { errorReply, notFoundReply } from './http/error-reply.ts';
import { CERTIFICATE_CHECK_PATH, COLLECTION_PATH, pageRoutes } from './http/page-routes.ts';
import { noStoreByDefault, requestIdentity, securityHeaders } from './http/reply-headers.ts';
import { changeRefusal, recordAdminChange } from './http/record-change.ts';
import { discardUnread } from './http/request-body.ts';
import { refuseRoute, requireRoute, routeOf } from './http/require-route.ts';
import { createRouter } from './http/router.ts';
import { temporarilyUnavailable } from './core/domain-error.ts';
import { createLog } from './core/log.ts';
import { lowerCase } from './core/lower-case.ts';
import { redactionOf } from './core/redaction.ts';
import { traceIdOf } from './core/trace.ts';
import { isUnavailable } from './platform/database/errors.ts';
import { servicesOf } from './services.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** How long the edge may serve the API document of an earlier deployment. */
const DOCUMENT_SECONDS = 60;

const setReadDocument: MiddlewareHandler<AppEnv> = async (c, next) => {
  const services = c.get('services');
  const allowLookup = (subject: LookupSubject) => limitAddress(c, subject);
  c.set('readDocument', async (contractAddress, tokenId) => {
    const address = contractAddress.toLowerCase();
    if (tokenId === undefined) {
      return isAddress(address) ? (await publicCollection(services, lowerCase(address), allowLookup))?.body : undefined;
    }
    const token = tokenOf(address, tokenId);
    const document = token && (await publicDocument(services, token, allowLookup));
    return typeof document === 'object' ? document.body : undefined;
  });
  await next();
};

/** Builds the HTTP API: the middleware in order, and the routes. */
/** Paths of pages and files, of which some are there. */
const NOT_ALWAYS_THERE = [
  '/docs/*',
  '/verify/*',
  '/collection/*',
  '/pages/:page/:file',
  '/favicon.ico',
  '/robots.txt',
  '/llms.txt',
  '/.well-known/security.txt',
] as const;

export function createApp() {
  const app = createRouter();
  app.onError((error, c) => {
    const refusal = isUnavailable(error) ? temporarilyUnavailable(error) : changeRefusal(error);
    return errorReply(refusal ?? error, c);
  });
  app.notFound(notFoundReply);

  app.use(discardUnread, requestIdentity, securityHeaders, noStoreByDefault);
  app.use(async (c, next) => {
    const log = createLog(redactionOf(c.env), {
      requestId: c.get('requestId'),
      traceId: traceIdOf(c.get('trace')),
    });
    c.set('log', log);
    const services = servicesOf(c.env, log);
    const started = services.clock.now();
    c.set('services', services);
    c.set('authenticator', createAuthenticator(services));
    await next();
    c.get('log').info('request', {
      method: c.req.method,
      // Not the path: the id of a ticket's metadata is the code that opens a gate, that of an account a credential.
      route: routeOf(c),
      status: c.res.status,
      milliseconds: services.clock.now() - started,
    });
  });

  app.use(requireRoute(app));
  // Public routes come first, with the one route of an account whose path a public route would match. All others need a
  // key: an admin's or, by `corporateRoute`, an account's.
  app.route('/', healthRoutes);
  app.route('/', metadataVersionRoutes);
  app.route('/', publicMetadataRoutes);
  app.route('/', publicCollectionRoutes);
  app.route('/', schemaRoutes);
  app.route('/', issuerRoutes);
  app.route('/', publicDeploymentRoutes);
  app.route('/', publicRevocationRoutes);
  app.route('/', credentialRoutes);
  app.route('/', publicClaimRoutes);
  let document: ReturnType<typeof apiDocument> | undefined;
  app.get('/openapi.json', (c) => {
    document ??= apiDocument(app, VERSION, examples);
    c.header('Cache-Control', `public, max-age=0, s-maxage=${DOCUMENT_SECONDS}`);
    return c.json(withServer(document, new URL(c.req.url).origin));
  });

  for (const path of [CERTIFICATE_CHECK_PATH, COLLECTION_PATH]) app.use(path, setReadDocument);
  app.route('/', pageRoutes);
  for (const path of NOT_ALWAYS_THERE) {
    app.get(path, async (c) => {
      await limitAddress(c, 'route');
      return notFoundReply(c);
    });
  }
  app.options('*', refuseRoute(app));

  const admin = createRouter();
  for (const path of ['/admin/*', '/status']) admin.use(path, requireAdmin, recordAdminChange);
  admin.route('/', adminRoutes);
  admin.route('/', operatorRoutes);
  app.route('/', admin);

  for (const routes of [...orderRoutes, approvalRoutes(orderKinds)]) app.route('/', routes);
  app.route('/', contractRoutes);
  app.route('/', collectionRoutes);
  app.route('/', metadataRoutes);
  app.route('/', walletRoutes);
  app.route('/', holdingRoutes);
  app.route('/', assetRoutes);
  app.route('/', importRoutes);
  const events = describeEvents();
  for (const routes of webhookRoutes(events.map(({ type }) => type))) app.route('/', routes);
  app.route('/', limitsRoutes);
  app.route('/', keyRoutes);
  app.route('/', auditRoutes);

  registerCommonParts(app, events, examples);
  return app;
}

/** The API document of an app. @param origin Scheme and host that it is served at. */
// fallow-ignore-next-line unused-export -- scripts/api/read-api-document.ts imports it from a bundle.
export function documentOf(app: ReturnType<typeof createApp>, origin: string) {
  return withServer(apiDocument(app, VERSION, examples), origin);
}
