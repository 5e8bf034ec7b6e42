import { recordIdParams, txHashParams } from '../core/fields.ts';
import { pageSchema } from '../core/paging.ts';
import { corporateRoute } from '../http/corporate-route.ts';
import { errorReplies } from '../http/error-replies.ts';
import { jsonReply } from '../http/json.ts';
import { createRouter, tenantServices } from '../http/router.ts';
import { getOrder, listOrders, orderListQuery, resourceOf, type KindsOfPath, type Parties } from './read-orders.ts';

/** What the API document says of the routes that read the orders of a path. */
interface ReadTexts {
  /** An order: "a burn order". */
  readonly one: string;
  /** The reply that is one. Default: "The order". */
  readonly reply?: string;
  /** Absent if an order is only read by its id. `many`: "burn orders". `byTransaction` describes that route further. */
  readonly list?: { readonly many: string; readonly parties: Parties; readonly byTransaction?: string };
}

/** The name of a resource as a part of operation ids. */
export function operationName(name: string): string {
  return name.replaceAll(/[^A-Za-z]+(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The routes that read orders: by id and, if there is a list, a page and by transaction.
 * @param kinds All that share the path.
 * @param others Routes that the one by id would match, and so must stand before it.
 */
export function readRoutes(kinds: KindsOfPath, { one, reply = 'The order', list }: ReadTexts, others = createRouter()) {
  const { path, name, tag, schema } = resourceOf(kinds);
  const operation = operationName(name);
  const tags = [tag];
  const responses = { 200: jsonReply(reply, schema), ...errorReplies(400, 401, 403, 404) };
  const router = createRouter();
  if (list !== undefined) {
    const { many, parties, byTransaction = '' } = list;
    router
      .openapi(
        corporateRoute({
          method: 'get',
          path,
          operationId: `list${operation}s`,
          tags,
          summary: `List ${many}, newest first`,
          scope: 'read',
          request: { query: orderListQuery(parties) },
          responses: { 200: jsonReply('A page', pageSchema(schema)), ...errorReplies(400, 401, 403) },
        }),
        async (c) => c.json(await listOrders(tenantServices(c), kinds, parties, c.req.valid('query')), 200),
      )
      .openapi(
        corporateRoute({
          method: 'get',
          path: `${path}/by-tx/{txHash}`,
          operationId: `get${operation}ByTransaction`,
          tags,
          summary: `Read ${one} by its transaction`,
          description: byTransaction,
          scope: 'read',
          request: { params: txHashParams },
          responses,
        }),
        async (c) => c.json(await getOrder(tenantServices(c), kinds, c.req.valid('param')), 200),
      );
  }
  return router.route('/', others).openapi(
    corporateRoute({
      method: 'get',
      path: `${path}/{id}`,
      operationId: `get${operation}`,
      tags,
      summary: `Read ${one}`,
      scope: 'read',
      request: { params: recordIdParams },
      responses,
    }),
    async (c) => c.json(await getOrder(tenantServices(c), kinds, c.req.valid('param')), 200),
  );
}
