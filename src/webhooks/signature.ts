import { Webhook } from 'standardwebhooks';

/** The message of one delivery attempt. */
export interface WebhookMessage {
  /** The same for every attempt of an event. */
  readonly id: string;
  /** The time of this attempt. */
  readonly at: Date;
  /** The exact body. */
  readonly payload: string;
  /** `whsec_` and base64. The message is signed with each, so that a receiver with any one of them can verify it. */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * The Standard Webhooks headers: HMAC-SHA256 over `id.timestamp.body`, one signature per secret, separated by spaces.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signatureHeaders({ id, at, payload, secrets }: WebhookMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': Math.floor(at.getTime() / 1_000).toString(),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(' '),
  };
}
