/** Creates the secret of a claim's link: 256 random bits in hex. Only the reply to the request that makes it has it. */
export function newClaimSecret(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(32)));
}

/** The stored form of a secret: SHA-256, in hex. A slow hash protects secrets that people choose. */
export async function secretHash(secret: string): Promise<string> {
  return hexOf(await crypto.subtle.digest('SHA-256', encode(secret)));
}

/**
 * The stored form of a PIN: HMAC-SHA256 with the link's secret as the key, in hex. So few digits can be guessed from
 * any hash, but the secret is not stored: a copy of the database does not tell the PIN.
 */
export async function pinHash(secret: string, pin: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encode(secret), algorithm, false, ['sign']);
  return hexOf(await crypto.subtle.sign('HMAC', key, encode(pin)));
}

/** Compares hashes of the same form in constant time. */
export function areEqual(one: string, other: string): boolean {
  const [a, b] = [encode(one), encode(other)];
  return a.length === b.length && crypto.subtle.timingSafeEqual(a, b);
}

const encode = (text: string) => new TextEncoder().encode(text);

function hexOf(bytes: ArrayBuffer | Uint8Array): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
