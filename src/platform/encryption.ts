import { z } from 'zod';

/** A key for texts that the database stores encrypted. */
export interface EncryptionKey {
  /** Stored with everything that the key encrypts. */
  readonly id: string;
  /** 256 bits. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Authenticated encryption of short stored texts: AES-256-GCM with a random 96-bit nonce. */
export interface Encryption {
  readonly newestKeyId: string;
  /**
   * @param context What the text belongs to, such as a record's id. It can only be decrypted with the same context.
   * @returns `<key id>.<nonce>.<ciphertext>`, the last two in base64.
   */
  encrypt(text: string, context: string): Promise<string>;
  /** @throws if the key is unknown, the context differs, or the text was changed. */
  decrypt(encrypted: string, context: string): Promise<string>;
}

const NONCE_BYTES = 12;
const ALGORITHM = 'AES-GCM';
const KEY_FORM = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses `<id>.<base64 of 32 bytes>`.
 * @returns undefined for anything else.
 * @internal Exported for its unit test.
 */
export function parseEncryptionKey(text: string): EncryptionKey | undefined {
  const [, id, bytes] = KEY_FORM.exec(text) ?? [];
  return id === undefined || bytes === undefined ? undefined : { id, bytes: bytesOf(bytes) };
}

/** @param keys The first one encrypts; each decrypts the texts that name it. */
export function createEncryption(keys: readonly [EncryptionKey, ...EncryptionKey[]]): Encryption {
  const [newest] = keys;
  const imported = new Map<string, ReturnType<typeof crypto.subtle.importKey>>();
  const importKey = ({ id, bytes }: EncryptionKey) => {
    const known = imported.get(id) ?? crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['encrypt', 'decrypt']);
    imported.set(id, known);
    return known;
  };
  return {
    newestKeyId: newest.id,
    async encrypt(text, context) {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const parameters = { name: ALGORITHM, iv, additionalData: new TextEncoder().encode(context) };
      const encrypted = await crypto.subtle.encrypt(
        parameters,
        await importKey(newest),
        new TextEncoder().encode(text),
      );
      return `${newest.id}.${base64Of(iv)}.${base64Of(new Uint8Array(encrypted))}`;
    },
    async decrypt(encrypted, context) {
      const [id = '', nonce = '', data = ''] = encrypted.split('.');
      const key = keys.find((known) => known.id === id);
      if (key === undefined) throw new Error(`ENCRYPTION_KEYS has no key with the id of a stored text: ${id}`);
      const additionalData = new TextEncoder().encode(context);
      const parameters = { name: ALGORITHM, iv: bytesOf(nonce), additionalData };
      try {
        return new TextDecoder().decode(await crypto.subtle.decrypt(parameters, await importKey(key), bytesOf(data)));
      } catch (cause) {
        throw new Error(`A stored text cannot be decrypted with the key ${id}`, { cause });
      }
    },
  };
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const FORM =
  'must be a comma-separated list of keys, the newest first, each <id>.<base64 of 32 bytes> with an id of its own';

/** The setting ENCRYPTION_KEYS. The operator's commands read it too: they encrypt what the service decrypts. */
export const encryptionKeysSetting = z
  .string()
  .transform((text, context): readonly [EncryptionKey, ...EncryptionKey[]] => {
    const items = text.split(',').map((item) => item.trim());
    const [newest, ...former] = items.flatMap((item) => parseEncryptionKey(item) ?? []);
    const ids = new Set([newest, ...former].map((key) => key?.id));
    if (newest !== undefined && ids.size === items.length) return [newest, ...former];
    context.addIssue({ code: 'custom', message: FORM });
    return z.NEVER;
  });
