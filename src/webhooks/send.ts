import { Webhook } from 'standardwebhooks';
import { sendRequest } from '../core/send-request.ts';
import { traceparentOf, type Trace } from '../core/trace.ts';

/**
 * The result of a POST: the response's status, or why there is no response. `final` means that a retry would give the
 * same result.
 */
export type SendResult = { readonly final: boolean } & ({ readonly statusCode: number } | { readonly error: string });

/**
 * Sends a message, signed now. Only the status of the response is read. A redirect, which is not followed, is final:
 * its target has not been checked.
 * @param target A URL that has passed the target check.
 * @param timeoutSeconds How long to wait for the response's status.
 */
export async function send(target: string, message: WebhookMessage, timeoutSeconds: number): Promise<SendResult> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'nft-issuance-service',
    ...signatureHeaders(message),
    ...(message.trace === null ? {} : { traceparent: traceparentOf(message.trace) }),
  };
  let reply: Response;
  try {
    reply = await sendRequest(target, {
      method: 'POST',
      headers,
      body: message.payload,
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    });
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return {
      error: timedOut ? `No answer within ${timeoutSeconds} seconds` : 'The connection failed',
      final: false,
    };
  }
  // Only the status matters, even if cancelling the body fails.
  await reply.body?.cancel().catch(() => {});
  // 5xx can be retried; any other status, redirects included, is final.
  return { statusCode: reply.status, final: reply.status < 500 };
}

export function isDelivered(result: SendResult): boolean {
  return 'statusCode' in result && result.statusCode >= 200 && result.statusCode < 300;
}

export interface WebhookMessage {
  /** Every attempt of an event has this id. */
  readonly id: string;
  /** The time of this attempt. */
  readonly at: Date;
  /** The exact body. */
  readonly payload: string;
  /** `whsec_` and base64. The message is signed with each, so that a receiver with any one of them can verify it. */
  readonly secrets: readonly [string, ...string[]];
  /** The trace that the message belongs to; null if nobody ordered what it is about. */
  readonly trace: Trace | null;
}

/**
 * The Standard Webhooks headers: HMAC-SHA256 over `id.timestamp.body`, one signature per secret, separated by spaces.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function signatureHeaders({ id, at, payload, secrets }: WebhookMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': Math.floor(at.getTime() / 1_000).toString(),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(' '),
  };
}
