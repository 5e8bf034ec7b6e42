import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpServer, readBody, startHttpServer } from './http-server.ts';

/** What is far from the Worker. */
export type FarServer = 'database' | 'node';

/** A request of the Worker to a far server, and the reply. */
export interface RoundTrip {
  readonly to: FarServer;
  /** The request's. */
  readonly body: string;
  /** The length of the reply's body, in bytes. */
  readonly replyBytes: number;
  /** When the Worker's request arrived, and when the reply was sent to it, in milliseconds of `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** How far the database and the nodes are from the Worker. */
export interface Distance {
  /** The latency that each round trip has in addition. */
  readonly milliseconds: number;
  /** Called at the end of each round trip. */
  readonly observe?: (trip: RoundTrip) => void;
}

const BODY_LIMIT = 64 * 1024 * 1024;

/**
 * Starts a proxy in front of a server: half of the distance passes before a request is forwarded, and half before its
 * reply is sent. Requests do not wait for each other.
 */
export async function startFarServer(target: string, to: FarServer, distance: Distance): Promise<HttpServer> {
  // Anvil closes a connection that is idle for some seconds; it is given up well before, so that no request meets a
  // closed one.
  const agent = new Agent({ keepAlive: true, timeout: 2_000 });
  const half = distance.milliseconds / 2;
  const server = await startHttpServer(`The way to the ${to}`, async (request, response) => {
    const startedAt = performance.now();
    const body = await readBody(request, BODY_LIMIT);
    await delay(half);
    const reply = await forward(target, request, body, agent);
    const replied = await readBody(reply, Infinity);
    await delay(half);
    distance.observe?.({
      to,
      body: body.toString(),
      replyBytes: replied.length,
      startedAt,
      endedAt: performance.now(),
    });
    const { connection: _, 'transfer-encoding': __, ...headers } = reply.headers;
    response.writeHead(reply.statusCode ?? 502, headers).end(replied);
  });
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      agent.destroy();
    },
  };
}

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer, agent: Agent) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers, agent };
    sendRequest(`${target}${url === '/' ? '' : url}`, options, resolve)
      .on('error', reject)
      .end(body);
  });
}
