import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Client, DatabaseError, type QueryArrayConfig } from 'pg';
import { z } from 'zod';
import { BodyTooLargeError, type HttpServer, readBody, sendJson, startHttpServer } from '../http-server.ts';
import { type Connection, createConnections, NotConnectedError } from './neon-connections.ts';

export interface NeonEndpointOptions {
  /** The database behind it; requests must have the same user, password and database name. */
  readonly databaseUrl: string;
  /** Default: any free port. */
  readonly port?: number;
  /** The most bytes of a request, and of a reply; default: as of the hosted service. */
  readonly maxBytes?: number;
  /**
   * Keeps more connections, and on each the plans of its statements, so that PostgreSQL has about half of the work. For
   * tests that are about neither; default: as the hosted service.
   */
  readonly keepsPlans?: boolean | undefined;
}

/** The most bytes of a request, and of a reply, of the hosted service. */
const MAX_BYTES = 64 * 1024 * 1024;

const parameter = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const querySchema = z.object({ query: z.string(), params: z.array(parameter).default([]) });
const bodySchema = z.union([z.object({ queries: z.array(querySchema) }), querySchema]);
type Query = z.output<typeof querySchema>;

const isolationLevels = {
  ReadUncommitted: 'READ UNCOMMITTED',
  ReadCommitted: 'READ COMMITTED',
  RepeatableRead: 'REPEATABLE READ',
  Serializable: 'SERIALIZABLE',
} as const;
const headersSchema = z.object({
  'neon-connection-string': z.string(),
  'neon-raw-text-output': z.literal('true'),
  'neon-array-mode': z.enum(['true', 'false']).default('false'),
  'neon-batch-isolation-level': z
    .enum(['ReadUncommitted', 'ReadCommitted', 'RepeatableRead', 'Serializable'])
    .optional(),
  'neon-batch-read-only': z.enum(['true', 'false']).default('false'),
  'neon-batch-deferrable': z.enum(['true', 'false']).default('false'),
});
type Headers = z.output<typeof headersSchema>;

/** A request that the proxy itself refuses, without a SQLSTATE. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly fields: ErrorFields;
  constructor(status: number, message: string, fields: ErrorFields = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Values remain the text that PostgreSQL sent; the driver parses them. */
const asText = { getTypeParser: () => (text: string) => text };

function same(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function checkCredentials(connectionString: string, served: URL): void {
  if (!URL.canParse(connectionString)) throw new RefusedError(400, 'invalid connection string');
  const asked = new URL(connectionString);
  if (!same(asked.username, served.username) || !same(asked.password, served.password)) {
    const user = decodeURIComponent(asked.username);
    throw new RefusedError(400, `password authentication failed for user '${user}'`);
  }
  if (asked.pathname !== served.pathname) {
    const database = decodeURIComponent(asked.pathname.slice(1));
    throw new RefusedError(400, `database "${database}" does not exist`, { severity: 'FATAL', code: '3D000' });
  }
}

interface ExtendedQuery extends QueryArrayConfig {
  queryMode: 'extended';
}

/** Runs a statement, which PostgreSQL plans anew unless its plan is kept. @returns the JSON of its result. */
async function run(
  client: Client,
  { query, params }: Query,
  { headers, keepsPlans }: Pick<Exchange, 'headers' | 'keepsPlans'>,
): Promise<string> {
  const arrayMode = headers['neon-array-mode'] === 'true';
  const config: ExtendedQuery = {
    ...(keepsPlans ? { name: createHash('md5').update(query).digest('hex') } : {}),
    text: query,
    values: params,
    rowMode: 'array',
    // The extended protocol even without parameters, so that a query has one statement only, as with the hosted
    // service.
    queryMode: 'extended',
    types: asText,
  };
  const result = await client.query<(string | null)[]>(config);
  const names = result.fields.map((field) => field.name);
  return JSON.stringify({
    command: result.command,
    rowCount: result.rowCount,
    fields: result.fields,
    rows: arrayMode
      ? result.rows
      : result.rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value]))),
    rowAsArray: arrayMode,
  });
}

function begin(headers: Headers): string {
  const level = headers['neon-batch-isolation-level'];
  const modes = [
    ...(level === undefined ? [] : [`ISOLATION LEVEL ${isolationLevels[level]}`]),
    ...(headers['neon-batch-read-only'] === 'true' ? ['READ ONLY'] : []),
    ...(headers['neon-batch-deferrable'] === 'true' ? ['DEFERRABLE'] : []),
  ];
  return `START TRANSACTION ${modes.join(', ')}`;
}

/** A request, and what it is answered with. */
interface Exchange {
  readonly connection: Connection;
  readonly headers: Headers;
  readonly maxBytes: number;
  readonly keepsPlans: boolean;
}

function checkLength(results: readonly string[], maxBytes: number): void {
  const bytes = results.reduce((sum, json) => sum + Buffer.byteLength(json), 0);
  if (bytes > maxBytes) throw new RefusedError(507, `response is too large (max is ${maxBytes} bytes)`);
}

/** @returns the JSON of the reply. The connection of a statement that failed is closed. */
async function runSingle(query: Query, exchange: Exchange): Promise<string> {
  const { connection, maxBytes } = exchange;
  let isSound = false;
  try {
    const json = await run(connection.client, query, exchange);
    checkLength([json], maxBytes);
    isSound = true;
    return json;
  } finally {
    connection.release(isSound);
  }
}

/**
 * Runs statements one after the other in one transaction, which ends with the first that fails.
 * @returns the JSON of the reply.
 */
async function runBatch(queries: readonly Query[], exchange: Exchange): Promise<string> {
  const { connection, headers, maxBytes } = exchange;
  const { client } = connection;
  let isSound = false;
  try {
    await client.query(begin(headers));
    const results: string[] = [];
    try {
      for (const query of queries) results.push(await run(client, query, exchange));
      checkLength(results, maxBytes);
    } catch (error) {
      // The connection is reset before another request uses it, which ends the transaction. After a FATAL error
      // PostgreSQL closes it.
      isSound = error instanceof RefusedError || (error instanceof DatabaseError && error.severity !== 'FATAL');
      throw error;
    }
    await client.query('COMMIT');
    isSound = true;
    return `{"results":[${results.join(',')}]}`;
  } finally {
    connection.release(isSound);
  }
}

/**
 * The fields of an error in a reply, all of them in each: those that it lacks are null, its code and severity empty.
 */
const ERROR_FIELDS = [
  ...(['detail', 'hint', 'position', 'internalPosition', 'internalQuery', 'where', 'table', 'column'] as const),
  ...(['schema', 'dataType', 'constraint', 'file', 'line', 'routine'] as const),
];
type ErrorFields = Partial<Pick<DatabaseError, 'code' | 'severity' | (typeof ERROR_FIELDS)[number]>>;

function sendError(response: ServerResponse, status: number, message: string, fields: ErrorFields = {}): void {
  const { code = '', severity = '' } = fields;
  const others = Object.fromEntries(ERROR_FIELDS.map((field) => [field, fields[field] ?? null]));
  sendJson(response, status, { message, code, severity, ...others });
}

/**
 * As `sql_over_http.rs` of neondatabase/neon does: what concerns a statement is a 400, even a connection that was lost
 * while it ran, which has no code; what concerns the connection is a 500, even if PostgreSQL has said why, and the
 * driver gives its fields as text only.
 */
function replyWithError(response: ServerResponse, error: unknown): void {
  if (error instanceof RefusedError) {
    sendError(response, error.status, error.message, error.fields);
  } else if (error instanceof BodyTooLargeError) {
    sendError(response, 413, `request is too large: ${error.message}`);
  } else if (error instanceof z.ZodError || error instanceof SyntaxError) {
    sendError(response, 400, `could not parse the HTTP request: ${error.message}`);
  } else if (error instanceof DatabaseError) {
    sendError(response, 400, error.message, error);
  } else if (error instanceof NotConnectedError) {
    const { cause } = error;
    if (cause instanceof DatabaseError) sendError(response, 500, cause.message, cause);
    else sendError(response, 500, "Couldn't connect to compute node");
  } else {
    sendError(response, 400, 'connection closed');
  }
}

/**
 * Starts an HTTP endpoint with the Neon driver's protocol in front of a PostgreSQL server, so that the Worker uses the
 * same driver as in production; `neonConfig.fetchEndpoint` is set to its URL. It serves POST on every path. A batch is
 * one transaction, whose statements run one after the other. When PostgreSQL has no connection left, the reply is its
 * 53300 in a 500. stack/README.md says what it does not imitate.
 */
export async function startNeonEndpoint(options: NeonEndpointOptions): Promise<HttpServer> {
  const served = new URL(options.databaseUrl);
  const { maxBytes = MAX_BYTES, keepsPlans = false } = options;
  const connections = createConnections(options.databaseUrl, keepsPlans);

  const answer = async (request: IncomingMessage): Promise<string> => {
    const headers = headersSchema.parse(request.headers);
    checkCredentials(headers['neon-connection-string'], served);
    const body = bodySchema.parse(JSON.parse((await readBody(request, maxBytes)).toString()));
    const exchange = { connection: await connections.take(), headers, maxBytes, keepsPlans };
    return 'queries' in body ? await runBatch(body.queries, exchange) : await runSingle(body, exchange);
  };

  const service = await startHttpServer(
    'Neon endpoint',
    async (request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(405, { allow: 'POST' }).end();
        return;
      }
      let json: string;
      try {
        json = await answer(request);
      } catch (error) {
        replyWithError(response, error);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    },
    options.port,
  );
  return {
    url: service.url,
    stop: async () => {
      await service.stop();
      await connections.stop();
    },
  };
}
