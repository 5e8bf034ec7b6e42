import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

const TIMEOUT_MS = 30_000;

const eventSchema = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });
type Event = z.output<typeof eventSchema>;

export interface WebhookReceiver {
  readonly url: string;
  /** Sets the secret that signatures are verified with; deliveries with a wrong signature are rejected. */
  trust(secret: string): void;
  /** Waits for an event about a resource. @throws when none arrives in time. */
  event(type: string, id: unknown): Promise<Event>;
  close(): void;
}

/** A partner's webhook server, which verifies signatures with the standard's library. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const events: Event[] = [];
  let webhook: Webhook | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      try {
        const header = (name: string) => String(request.headers[name]);
        const payload = webhook?.verify(Buffer.concat(chunks), {
          'webhook-id': header('webhook-id'),
          'webhook-timestamp': header('webhook-timestamp'),
          'webhook-signature': header('webhook-signature'),
        });
        events.push(eventSchema.parse(payload));
        response.writeHead(204).end();
      } catch {
        // Not signed by the service, or not an event.
        response.writeHead(400).end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The webhook receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/webhooks`,
    trust(secret) {
      webhook = new Webhook(secret);
    },
    async event(type, id) {
      const deadline = Date.now() + TIMEOUT_MS;
      for (;;) {
        const found = events.find((event) => event.type === type && Object.values(event.data).includes(id));
        if (found !== undefined) return found;
        if (Date.now() > deadline) throw new Error(`The webhook ${type} did not arrive within 30 seconds`);
        await delay(50);
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
