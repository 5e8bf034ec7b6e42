import { describe, expect, it } from 'vitest';
import { createEncryption, parseEncryptionKey, type EncryptionKey } from './encryption.ts';

function keyOf(id: string, byte: number): EncryptionKey {
  return { id, bytes: new Uint8Array(32).fill(byte) };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

const old = keyOf('old', 1);
const fresh = keyOf('fresh', 2);

describe('an encrypted text', () => {
  it('is decrypted with its context, and is different each time', async () => {
    const encryption = createEncryption([fresh]);
    const [one, two] = [await encryption.encrypt('whsec_\u00e9', 'a'), await encryption.encrypt('whsec_\u00e9', 'a')];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^fresh\.[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/]+=*$/);
    expect(await encryption.decrypt(one, 'a')).toBe('whsec_\u00e9');
    expect(await encryption.decrypt(two, 'a')).toBe('whsec_\u00e9');
  });

  it('names its key, so that a former key decrypts it as long as it is known', async () => {
    const stored = await createEncryption([old]).encrypt('text', 'a');
    expect(await createEncryption([fresh, old]).decrypt(stored, 'a')).toBe('text');
    expect(await createEncryption([fresh, old]).encrypt('text', 'a')).toMatch(/^fresh\./);
    await expect(createEncryption([fresh]).decrypt(stored, 'a')).rejects.toThrow('no key with the id');
  });

  it('is refused in another context, with another key of the same id, and when it was changed', async () => {
    const encryption = createEncryption([fresh]);
    const stored = await encryption.encrypt('text', 'a');
    await expect(encryption.decrypt(stored, 'b')).rejects.toThrow('cannot be decrypted');
    await expect(createEncryption([keyOf('fresh', 3)]).decrypt(stored, 'a')).rejects.toThrow('cannot be decrypted');
    const [id, nonce, data = ''] = stored.split('.');
    const flipped = data.startsWith('A') ? `B${data.slice(1)}` : `A${data.slice(1)}`;
    await expect(encryption.decrypt([id, nonce, flipped].join('.'), 'a')).rejects.toThrow('cannot be decrypted');
  });

  it('is what a standard implementation of AES-256-GCM decrypts', async () => {
    const [, nonce = '', data = ''] = (await createEncryption([fresh]).encrypt('text', 'a')).split('.');
    const key = await crypto.subtle.importKey('raw', fresh.bytes, 'AES-GCM', false, ['decrypt']);
    const parameters = { name: 'AES-GCM', iv: bytesOf(nonce), additionalData: new TextEncoder().encode('a') };
    expect(new TextDecoder().decode(await crypto.subtle.decrypt(parameters, key, bytesOf(data)))).toBe('text');
  });
});

describe('a key', () => {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(32).fill(7)));

  it('is an id and 32 bytes in base64', () => {
    expect(parseEncryptionKey(`2026-11.${base64}`)).toEqual({ id: '2026-11', bytes: new Uint8Array(32).fill(7) });
  });

  it.each([
    '',
    base64,
    `.${base64}`,
    `a.${btoa('short')}`,
    `a b.${base64}`,
    `a.${base64.slice(0, -1)}`,
    `a.${base64}=`,
  ])('is not %j', (text) => {
    expect(parseEncryptionKey(text)).toBeUndefined();
  });
});
