import { Webhook } from 'standardwebhooks';

/** One event as it goes out in one attempt. */
export interface WebhookMessage {
  /** The same at each attempt of an event. */
  readonly id: string;
  /** When this attempt is made. */
  readonly at: Date;
  /** The exact body. */
  readonly payload: string;
  /** `whsec_` + base64. Each signs: a receiver that knows one of them can verify. */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * The headers of Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, one signature a secret, separated by spaces.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders({ id, at, payload, secrets }: WebhookMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': Math.floor(at.getTime() / 1_000).toString(),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(' '),
  };
}
