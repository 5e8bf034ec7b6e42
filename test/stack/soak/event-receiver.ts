import { once } from 'node:events';
import { createServer } from 'node:http';

/** A webhook server that records every body of every event. */
export interface EventReceiver {
  readonly url: string;
  /** The different bodies by the header `webhook-id`. */
  readonly received: ReadonlyMap<string, ReadonlySet<string>>;
  /** How many requests there were. */
  count(): number;
  close(): void;
}

export async function startEventReceiver(): Promise<EventReceiver> {
  const received = new Map<string, Set<string>>();
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      count += 1;
      received.set(id, (received.get(id) ?? new Set()).add(Buffer.concat(chunks).toString()));
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/soak`,
    received,
    count: () => count,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
