import type { IncomingMessage, ServerResponse } from 'node:http';
import { timingSafeEqual } from 'node:crypto';
import { DatabaseError, Pool, type PoolClient, type QueryArrayConfig } from 'pg';
import { z } from 'zod';
import { BodyTooLargeError, type HttpServer, readBody, sendJson, startHttpServer } from '../http-server.ts';

export interface NeonEndpointOptions {
  /** The database behind it; requests must have the same user, password and database name. */
  readonly databaseUrl: string;
  /** Default: any free port. */
  readonly port?: number;
  /** How many statements run concurrently. */
  readonly connections?: number;
}

// The limit of the hosted service.
const BODY_LIMIT = 64 * 1024 * 1024;

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

/** The request is rejected before it reaches the database; the driver reports it as a database error. */
class RejectedError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Values remain the text that PostgreSQL sent; the driver parses them. */
const asText = { getTypeParser: () => (text: string) => text };

function same(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function checkCredentials(connectionString: string, served: URL): void {
  if (!URL.canParse(connectionString)) throw new RejectedError('The connection string is not a URL', '28000');
  const asked = new URL(connectionString);
  const user = decodeURIComponent(asked.username);
  if (!same(asked.username, served.username) || !same(asked.password, served.password)) {
    throw new RejectedError(`password authentication failed for user "${user}"`, '28P01');
  }
  if (asked.pathname !== served.pathname) {
    throw new RejectedError(`database "${decodeURIComponent(asked.pathname.slice(1))}" does not exist`, '3D000');
  }
}

interface ExtendedQuery extends QueryArrayConfig {
  queryMode: 'extended';
}

async function run(client: Pool | PoolClient, { query, params }: Query, arrayMode: boolean) {
  const config: ExtendedQuery = {
    text: query,
    values: params,
    rowMode: 'array',
    // The extended protocol even without parameters, so that a query has one statement only, as with the hosted service.
    queryMode: 'extended',
    types: asText,
  };
  const result = await client.query<(string | null)[]>(config);
  const names = result.fields.map((field) => field.name);
  return {
    command: result.command,
    rowCount: result.rowCount,
    fields: result.fields,
    rows: arrayMode
      ? result.rows
      : result.rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value]))),
    rowAsArray: arrayMode,
  };
}

function begin(headers: Headers): string {
  const level = headers['neon-batch-isolation-level'];
  return [
    'BEGIN',
    ...(level === undefined ? [] : [`ISOLATION LEVEL ${isolationLevels[level]}`]),
    headers['neon-batch-read-only'] === 'true' ? 'READ ONLY' : 'READ WRITE',
    ...(headers['neon-batch-deferrable'] === 'true' ? ['DEFERRABLE'] : []),
  ].join(' ');
}

const ignore = () => {};

async function runBatch(pool: Pool, queries: Query[], headers: Headers) {
  const client = await pool.connect();
  // The statements under way report a lost connection.
  client.on('error', ignore);
  let connectionError: Error | undefined;
  try {
    await client.query(begin(headers));
    // Sent at once, and run in order. When one fails, PostgreSQL refuses those after it.
    const statements = queries.map((query) => run(client, query, headers['neon-array-mode'] === 'true'));
    // None may be under way when the connection is released.
    await Promise.allSettled(statements);
    const results = await Promise.all(statements);
    await client.query('COMMIT');
    return { results };
  } catch (error) {
    connectionError = error instanceof Error ? error : new Error(String(error));
    await client.query('ROLLBACK').then(
      () => (connectionError = undefined),
      // The connection is lost, and the transaction with it.
      () => {},
    );
    throw error;
  } finally {
    client.off('error', ignore);
    // A connection whose rollback failed is not returned to the pool.
    client.release(connectionError);
  }
}

/** SQLSTATEs that do not concern the statement: the server is shutting down or starting, or the connection is lost. */
const unavailable = /^(?:57P0[1-3]|08\w{3}|53300)$/;

/** All fields of a PostgreSQL error, under the names that the driver reads. */
const errorFields = [
  ...(['message', 'severity', 'code', 'detail', 'hint', 'position', 'internalPosition', 'internalQuery'] as const),
  ...(['where', 'schema', 'table', 'column', 'dataType', 'constraint', 'file', 'line', 'routine'] as const),
];

function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof BodyTooLargeError) {
    sendJson(response, 413, { message: error.message });
  } else if (error instanceof z.ZodError || error instanceof SyntaxError) {
    sendJson(response, 400, { message: `The request is malformed: ${error.message}`, code: '08P01' });
  } else if (error instanceof RejectedError) {
    sendJson(response, 400, { message: error.message, severity: 'FATAL', code: error.code });
  } else if (error instanceof DatabaseError && !unavailable.test(error.code ?? '')) {
    sendJson(response, 400, Object.fromEntries(errorFields.map((field) => [field, error[field]])));
  } else {
    // The statement may or may not have been executed, as when the hosted service loses its database.
    sendJson(response, 503, { message: error instanceof Error ? error.message : String(error) });
  }
}

/**
 * Starts an HTTP endpoint with the Neon driver's protocol in front of a PostgreSQL server, so that the Worker uses the same driver as in
 * production; `neonConfig.fetchEndpoint` is set to its URL. It serves POST on every path. A batch is one transaction. A statement's error is
 * a 400 with all of PostgreSQL's fields; if the server is unavailable it is a 503.
 */
export async function startNeonEndpoint(options: NeonEndpointOptions): Promise<HttpServer> {
  const served = new URL(options.databaseUrl);
  const pool = new Pool({ connectionString: options.databaseUrl, max: options.connections ?? 16, pipeline: true });
  // An idle connection broke. The pool replaces it, and the next statement reports the problem.
  pool.on('error', ignore);

  const handle = async (request: IncomingMessage) => {
    const headers = headersSchema.parse(request.headers);
    checkCredentials(headers['neon-connection-string'], served);
    const body = bodySchema.parse(JSON.parse((await readBody(request, BODY_LIMIT)).toString()));
    if ('queries' in body) return runBatch(pool, body.queries, headers);
    return run(pool, body, headers['neon-array-mode'] === 'true');
  };

  const service = await startHttpServer(
    'Neon endpoint',
    async (request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(405, { allow: 'POST' }).end();
        return;
      }
      let result: unknown;
      try {
        result = await handle(request);
      } catch (error) {
        sendError(response, error);
        return;
      }
      sendJson(response, 200, result);
    },
    options.port,
  );
  return {
    url: service.url,
    stop: async () => {
      await service.stop();
      await pool.end();
    },
  };
}
