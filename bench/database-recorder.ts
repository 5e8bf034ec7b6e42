import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readBody, startHttpServer, type HttpServer } from '../stack/http-server.ts';

const statementSchema = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) });
const bodySchema = z.union([z.object({ queries: z.array(statementSchema) }), statementSchema]);

/** An SQL statement as the Worker sent it. */
export type SentStatement = z.output<typeof statementSchema>;

/** A round trip to the database. */
export interface RoundTrip {
  readonly statements: readonly SentStatement[];
  readonly milliseconds: number;
}

/** A proxy in front of the Neon endpoint. */
export interface DatabaseRecorder extends HttpServer {
  /** What was sent since the last call, in the order of the replies. */
  take(): RoundTrip[];
}

const BODY_LIMIT = 64 * 1024 * 1024;

/** Records what the Worker sends to its database. @param endpoint The URL of the Neon endpoint. */
export async function startDatabaseRecorder(endpoint: string): Promise<DatabaseRecorder> {
  let trips: RoundTrip[] = [];
  const server = await startHttpServer('Database recorder', async (request, response) => {
    const body = await readBody(request, BODY_LIMIT);
    const parsed = bodySchema.parse(JSON.parse(body.toString()));
    const started = performance.now();
    const reply = await fetch(endpoint, { method: 'POST', headers: neonHeaders(request), body: new Uint8Array(body) });
    const text = await reply.text();
    const statements = 'queries' in parsed ? parsed.queries : [parsed];
    trips.push({ statements, milliseconds: performance.now() - started });
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  });
  return {
    ...server,
    take() {
      const taken = trips;
      trips = [];
      return taken;
    },
  };
}

const neonHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('neon-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
