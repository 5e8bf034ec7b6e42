import type { KeyKind } from '../accounts/account-key.ts';

const FORM = /^key_(?:live|test)_[0-9a-f]{64}$/;

/** Creates the value of x-api-key: the kind, then 256 random bits in hex. It is shown once and never stored. */
export function newKeySecret(kind: KeyKind): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `key_${kind}_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether a text has the form of an account's key. */
export function isKeySecret(text: string): boolean {
  return FORM.test(text);
}

/**
 * The stored form of a key, by which it is looked up: SHA-256, in hex. A slow hash protects secrets that people choose;
 * 256 random bits cannot be guessed. The timing of a lookup by hash reveals nothing about the key.
 */
export async function keyHash(secret: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
