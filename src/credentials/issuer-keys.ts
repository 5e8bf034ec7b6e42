import { base58 } from '@scure/base';
import { notFound } from '../core/domain-error.ts';
import type { Settings } from '../platform/env.ts';

/** An Ed25519 key that signs the credentials of one issuer. */
export interface IssuerKey {
  /** The public key as a Multikey: multibase of the multicodec `ed25519-pub` and the 32 bytes. */
  readonly publicKeyMultibase: string;
  /** @returns 64 bytes, always the same ones for the same bytes (RFC 8032). */
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
}

/** DER of a PrivateKeyInfo with an Ed25519 key (RFC 8410), up to the 32 bytes of the key. */
const PKCS8 = Uint8Array.from([
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
]);
/** The multicodec `ed25519-pub`. */
const ED25519_PUB = [0xed, 0x01];

/**
 * The keys of an issuer, derived from each secret of CREDENTIAL_SECRETS by HKDF (RFC 5869): nothing is stored, and the
 * key of one issuer tells nothing about another's.
 * @param issuerId What the public knows the issuer by.
 * @returns the first key signs; the others have signed earlier credentials, or will sign later ones.
 * @throws {DomainError} `not-found` if the deployment has no secret for it, and so issues no credentials.
 */
export async function issuerKeys(
  { CREDENTIAL_SECRETS: secrets }: Pick<Settings, 'CREDENTIAL_SECRETS'>,
  issuerId: string,
): Promise<readonly [IssuerKey, ...IssuerKey[]]> {
  if (secrets === undefined) throw notFound('Credential issuer');
  const [newest, ...others] = secrets;
  return [await deriveKey(newest, issuerId), ...(await Promise.all(others.map((one) => deriveKey(one, issuerId))))];
}

async function deriveKey(secret: string, issuerId: string): Promise<IssuerKey> {
  const { subtle } = crypto;
  const text = new TextEncoder();
  const input = await subtle.importKey('raw', text.encode(secret), 'HKDF', false, ['deriveBits']);
  const info = text.encode(`credential issuer ${issuerId}`);
  const seed = await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }, input, 256);
  const encoded = Uint8Array.from([...PKCS8, ...new Uint8Array(seed)]);
  const key = await subtle.importKey('pkcs8', encoded, 'Ed25519', true, ['sign']);
  return {
    publicKeyMultibase: `z${base58.encode(Uint8Array.from([...ED25519_PUB, ...(await publicBytes(key))]))}`,
    sign: async (bytes) => new Uint8Array(await subtle.sign('Ed25519', key, bytes)),
  };
}

async function publicBytes(key: CryptoKey): Promise<Uint8Array> {
  const exported = await crypto.subtle.exportKey('jwk', key);
  if (!('x' in exported) || exported.x === undefined) throw new Error('An Ed25519 key has no public part');
  return Uint8Array.from(atob(exported.x.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0));
}
