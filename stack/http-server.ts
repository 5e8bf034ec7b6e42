import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** An HTTP server of the local stack. */
export interface HttpServer {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  readonly url: string;
  /** Stops it at once and closes open connections. */
  stop(): Promise<void>;
}

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** A request body is longer than the server accepts. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
}

/**
 * Listens on 127.0.0.1, on any free port by default. If the handler throws, the response is an empty 500 and the error
 * goes to stderr under the server's name.
 */
export async function startHttpServer(name: string, handler: HttpHandler, port = 0): Promise<HttpServer> {
  const server = createServer((request, response) => {
    void (async () => {
      try {
        await handler(request, response);
      } catch (error) {
        console.error(`${name}:`, error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      }
    })();
  });
  // A client that reuses a connection just as the server closes it sees a reset. The default of 5 seconds makes that
  // likely.
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server must have a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Reads the whole body.
 * @throws {BodyTooLargeError} as soon as it is longer than `limit` bytes.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('The request must not have an encoding set');
    length += chunk.length;
    if (length > limit) throw new BodyTooLargeError(`The body is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Sends a JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  document: unknown,
  contentType = 'application/json',
): void {
  const body = Buffer.from(JSON.stringify(document));
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length }).end(body);
}
