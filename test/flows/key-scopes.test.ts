import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { SCOPES as SCOPE_NAMES } from '../../src/platform/database/vocabulary/scope.ts';
import { call, newClient, stack, type Client } from '../fixtures/client.ts';
import { adminOf, keyHeaders, makeKey } from '../fixtures/keys.ts';

/**
 * The rows of "Scopes" in docs/keys.md: a scope and its routes, each with the method of the one before if it has none.
 */
const documented = Array.from(
  (/## Scopes\n(.*?)\n## /s.exec(readFileSync('docs/keys.md', 'utf8'))?.[1] ?? '').matchAll(
    /^\| `(\w+)` +\| (.*) \|$/gm,
  ),
  ([, scope = '', cell = '']) => {
    let method = '';
    const routes = Array.from(cell.matchAll(/`(?:([A-Z]+) )?(\/[^`]*)`/g), ([, own, path]) => {
      method = own ?? method;
      return `${method} ${path}`;
    });
    return { scope, routes };
  },
);
const ALL = documented.map(({ scope }) => scope);
/**
 * The scopes of each route of an account, of which a key needs one. A route that is not documented has none, except
 * that every other GET has `read`.
 */
const SCOPES: Record<string, string[]> = {};
for (const { scope, routes } of documented) for (const route of routes) (SCOPES[route] ??= []).push(scope);
/** Routes for which no key of an account is needed or enough. */
const isOther = (route: string) =>
  route.includes(' /admin/') ||
  [
    'GET /health',
    'GET /schemas',
    'GET /schemas/{schemaVersion}',
    'GET /metadata/{contractAddress}/{tokenId}',
    'GET /metadata/0x{contractAddress}',
    'GET /collections/{chainId}/{contractAddress}',
    'GET /collections/{chainId}/{contractAddress}/tokens',
    'GET /deployments/{chainId}/{contractAddress}',
    'GET /issuers/{chainId}/{contractAddress}/{walletAddress}',
    'GET /certificates/{contractAddress}/{tokenId}/revocation',
    'GET /certificates/{contractAddress}/{tokenId}/credential',
    'GET /credentials/status/{issuerId}/{list}',
    'GET /issuers/{issuerId}/did.json',
    'GET /.well-known/did.json',
    'GET /01/{gtin}/21/{serial}',
    'GET /.well-known/gs1resolver',
    'POST /claims/{id}/open',
    'POST /claims/{id}/claim',
    'GET /status',
  ].includes(route);

interface Operation {
  readonly 'x-scopes'?: readonly string[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly description?: string;
}

let client: Client;
const operations = new Map<string, Operation>();
beforeAll(async () => {
  client = await newClient();
  const { body } = await call('/openapi.json');
  for (const [path, methods] of Object.entries<Record<string, Operation>>(body.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(`${method.toUpperCase()} ${path}`, operation);
    }
  }
  for (const route of operations.keys()) {
    if (route.startsWith('GET ') && !isOther(route)) SCOPES[route] ??= ['read'];
  }
});

/** Requests a route with a path and a body that match nothing. @returns the status, or that the key lacks the scope. */
async function tryRoute(route: string, headers: Record<string, string>): Promise<number | 'no scope'> {
  const [method = '', path = ''] = route.split(' ');
  const { status, body } = await call(path.replaceAll(/\{\w+\}/g, '0'.repeat(24)), {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{}' } : {}),
  });
  return status === 403 && /^This requires an account key with the scope \w+( or \w+)?$/.test(body.message)
    ? 'no scope'
    : status;
}

/** The routes that a caller may use. */
async function allowedRoutes(routes: readonly string[], headers: Record<string, string>): Promise<string[]> {
  const open: string[] = [];
  for (const route of routes) {
    const answer = await tryRoute(route, headers);
    if (answer === 'no scope') continue;
    // The body is invalid, or the id unknown: only a caller that may use the route learns that.
    expect([route, [200, 400, 404, 415].includes(answer) ? 'allowed' : answer]).toEqual([route, 'allowed']);
    open.push(route);
  }
  return open;
}

it('every scope is documented', () => {
  expect(ALL).toEqual([...SCOPE_NAMES]);
});

describe('every route', () => {
  it('of an account has its scope, in the API document as well', () => {
    const ofAccounts = [...operations.keys()].filter((route) => !isOther(route));
    expect(ofAccounts.toSorted()).toEqual(Object.keys(SCOPES).toSorted());
    for (const [route, scopes] of Object.entries(SCOPES)) {
      const { 'x-scopes': named = [], description = '' } = operations.get(route) ?? {};
      expect([route, named.toSorted()]).toEqual([route, scopes.toSorted()]);
      expect(description).toMatch(new RegExp(`Scope: ${named.map((scope) => `\`${scope}\``).join(' or ')}\\.$`));
    }
  });

  it.each(ALL)('with the scope %s, and no other, accepts a key with that scope alone', async (scope) => {
    const key = keyHeaders(await makeKey(client, { scopes: [scope] }));
    const allowed = Object.keys(SCOPES).filter((route) => SCOPES[route]?.includes(scope));
    expect(await allowedRoutes(Object.keys(SCOPES), key)).toEqual(allowed);
  });

  it.each(ALL)('with the scope %s alone refuses a key with all others', async (scope) => {
    const key = keyHeaders(await makeKey(client, { scopes: ALL.filter((other) => other !== scope) }));
    const routes = Object.keys(SCOPES).filter((route) => SCOPES[route]?.includes(scope));
    const allowed = routes.filter((route) => SCOPES[route]?.some((other) => other !== scope));
    expect(await allowedRoutes(routes, key)).toEqual(allowed);
  });

  it('without the scope keys accepts a global API key, and no route with it does', async () => {
    const headers = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
    };
    const allowed = Object.keys(SCOPES).filter((route) => !SCOPES[route]?.includes('keys'));
    expect(await allowedRoutes(Object.keys(SCOPES), headers)).toEqual(allowed);
  });

  it('with the scope keys, and of approvals, and no other of an account, accepts the admin key', async () => {
    for (const [route, scopes] of Object.entries(SCOPES)) {
      const isForAdmin = scopes.includes('keys') || / \/approvals(\/|$)/.test(route);
      const answer = await tryRoute(route, adminOf(client));
      expect([route, answer === 401]).toEqual([route, !isForAdmin]);
      const isDocumented = operations.get(route)?.security?.some(({ adminKey }) => adminKey !== undefined);
      expect([route, isDocumented]).toEqual([route, isForAdmin]);
    }
  });

  it('that is a GET needs its scope for HEAD as well', async () => {
    const none = keyHeaders(await makeKey(client, { scopes: ['mint'] }));
    const all = keyHeaders(await makeKey(client));
    for (const route of Object.keys(SCOPES).filter((name) => name.startsWith('GET '))) {
      const path = (route.split(' ')[1] ?? '').replaceAll(/\{\w+\}/g, '0'.repeat(24));
      const [refused, answered] = await Promise.all(
        [none, all].map((headers) => call(path, { method: 'HEAD', headers })),
      );
      expect([route, refused?.status, answered?.status === 403]).toEqual([route, 403, false]);
    }
  });

  it.each([
    '/contracts/',
    '//contracts',
    '/CONTRACTS',
    '/%63ontracts',
    '/contracts%2F',
    '/./contracts',
    '/x/../contracts',
    '/contracts;x=1',
    '/contracts?scope=read',
    '/health/../contracts',
    '/health%2F..%2Fcontracts',
  ])('needs its scope however its path is spelled: %s', async (path) => {
    const none = keyHeaders(await makeKey(client, { scopes: ['mint'] }));
    expect([403, 404]).toContain((await call(path, { headers: none })).status);
  });

  it('of the operator rejects every key of an account', async () => {
    const key = keyHeaders(await makeKey(client));
    const ofOperator = [...operations.keys()].filter((route) => / \/(admin\/|status$)/.test(route));
    expect(ofOperator.length).toBeGreaterThan(5);
    for (const route of ofOperator) {
      expect([route, await tryRoute(route, key)]).toEqual([route, 401]);
    }
  });
});
