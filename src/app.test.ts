import { describe, expect, it } from 'vitest';
import { createApp } from './app.ts';

/** What people open in a browser, and files for programs; they are no part of the API. */
const PAGES =
  /^\/((docs|console|portal|claim|gate|verify|collection|pages)(\/|$)|(favicon\.ico|robots\.txt|llms\.txt|\.well-known\/security\.txt)$|$)/;
/** Other forms of a path that is documented. */
const FORMS: ReadonlySet<string> = new Set(['GET /01/*']);

const PUBLIC: ReadonlySet<string> = new Set([
  '/health',
  '/schemas',
  '/schemas/{schemaVersion}',
  '/deployments/{chainId}/{contractAddress}',
  '/issuers/{chainId}/{contractAddress}/{walletAddress}',
  '/certificates/{contractAddress}/{tokenId}/revocation',
  '/certificates/{contractAddress}/{tokenId}/credential',
  '/credentials/status/{issuerId}/{list}',
  '/issuers/{issuerId}/did.json',
  '/.well-known/did.json',
  '/01/{gtin}/21/{serial}',
  '/.well-known/gs1resolver',
  '/metadata/0x{contractAddress}',
  '/claims/{id}/open',
  '/claims/{id}/claim',
  '/collections/{chainId}/{contractAddress}',
  '/collections/{chainId}/{contractAddress}/tokens',
]);

interface OperationObject {
  readonly security?: Record<string, string[]>[];
  readonly responses: object;
  readonly requestBody?: object;
  readonly parameters?: { readonly name: string; readonly in: string }[];
  readonly summary?: string;
  readonly description?: string;
  readonly 'x-rate-class'?: string;
}

/** A path of the document as the router has it. */
const pathInRouter = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/\b0x:(\w+)$/, ':$1{0[xX][^/]*}');

describe('the HTTP API', () => {
  const app = createApp();
  const document = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'test', version: '0' } });
  const paths = Object.entries(
    JSON.parse(JSON.stringify(document.paths)) as Record<string, Record<string, OperationObject>>,
  );

  it('documents every route in /openapi.json', () => {
    const documented = new Set(
      paths.flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${pathInRouter(path)}`),
      ),
    );
    // OPTIONS is what no route answers.
    const routes = app.routes
      .filter(
        ({ method, path }) => !['ALL', 'OPTIONS'].includes(method) && path !== '/openapi.json' && !PAGES.test(path),
      )
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !FORMS.has(route));
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter((route) => !documented.has(route))).toEqual([]);
  });

  it('documents the scope and the rate class of every route of an account', () => {
    const corporate = paths.flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { security = [] }]) => security.some((schemes) => 'corporateId' in schemes))
        .map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
    );
    expect(corporate.length).toBeGreaterThan(20);
    const described = corporate.filter(
      ({ description = '', 'x-rate-class': rateClass }) =>
        /Scope: `\w+`( or `\w+`)?\.$/.test(description) && rateClass !== undefined,
    );
    expect(described).toEqual(corporate);
  });

  it('takes an Idempotency-Key on every POST that creates something, except an upload, and documents its 422', () => {
    const operations = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], responses }]) => ({
        name: `${method} ${path}`,
        documents422: '422' in responses,
        takesKey: parameters.some(({ name }) => name === 'idempotency-key'),
      })),
    );
    expect(operations.filter(({ documents422, takesKey }) => documents422 !== takesKey)).toEqual([]);
    const withoutKey = operations.filter(({ name, takesKey }) => name.startsWith('post ') && !takesKey);
    // Besides the uploads, these change nothing, or nothing more when they are repeated.
    expect(withoutKey.map(({ name }) => name).toSorted()).toEqual([
      'post /assets/upload',
      'post /burn/prepare',
      'post /claims/{id}/claim',
      'post /claims/{id}/open',
      'post /contracts/read',
      'post /imports',
      'post /minting/occupancy/check',
      'post /minting/prepare',
      'post /minting/signature',
      'post /transfer/prepare',
      'post /transfer/signature',
    ]);
  });

  it('documents 415 for every route with a body, and for no other', () => {
    const operations = paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody, responses }]) => ({
        name: `${method} ${path}`,
        documents415: '415' in responses,
        hasBody: requestBody !== undefined,
      })),
    );
    expect(operations.filter(({ hasBody }) => hasBody).length).toBeGreaterThan(10);
    expect(operations.filter(({ documents415, hasBody }) => documents415 !== hasBody)).toEqual([]);
  });

  it('documents the security, the errors and a summary of every route', () => {
    for (const [path, methods] of paths) {
      for (const [method, operation] of Object.entries(methods)) {
        const name = `${method} ${path}`;
        const isPublic = PUBLIC.has(path) || (method === 'get' && path === '/metadata/{contractAddress}/{tokenId}');
        expect([name, operation.security?.length === 0]).toEqual([name, isPublic]);
        // Every other route refuses query parameters that it does not know.
        for (const status of ['400', '401']) {
          expect([name, status, isPublic || status in operation.responses]).toEqual([name, status, true]);
        }
        expect([name, operation.summary !== undefined]).toEqual([name, true]);
      }
    }
  });
});
