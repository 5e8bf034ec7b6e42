import type { Encryption } from '../platform/encryption.ts';

/** How long both secrets sign after a rotation, so that a receiver can switch without losing an event. */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;

/** A new signing secret in the format of Standard Webhooks: 32 random bytes. */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** The stored form of a secret: encrypted for its endpoint. */
export function encryptWebhookSecret(encryption: Encryption, endpointId: string, secret: string): Promise<string> {
  return encryption.encrypt(secret, contextOf(endpointId));
}

/**
 * The plain text of a stored secret.
 * @throws if its key is not in ENCRYPTION_KEYS.
 */
export function decryptWebhookSecret(encryption: Encryption, endpointId: string, stored: string): Promise<string> {
  return encryption.decrypt(stored, contextOf(endpointId));
}

function contextOf(endpointId: string): string {
  return `webhook endpoint ${endpointId}`;
}
