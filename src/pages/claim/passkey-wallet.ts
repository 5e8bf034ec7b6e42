import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { numberToHex } from 'viem/utils';

/** A wallet whose key follows from a passkey: nobody stores it. */
export interface PasskeyWallet {
  readonly address: string;
  readonly privateKey: Hex;
}

const encode = (text: string) => new TextEncoder().encode(text);

/** What the passkey's pseudo-random function is asked for: with another text, the same passkey has another key. */
const ASKED = encode('claim wallet');
const INFO = encode('secp256k1 key 1');
/** The order of the curve secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Whether the browser can make keys from passkeys: the extension `prf` of WebAuthn. Its device may still not. */
export async function canUsePasskeys(): Promise<boolean> {
  if (!('PublicKeyCredential' in window) || !('getClientCapabilities' in PublicKeyCredential)) return false;
  const capabilities = await PublicKeyCredential.getClientCapabilities();
  return capabilities['extension:prf'] === true;
}

/**
 * Makes a passkey and the wallet that follows from it.
 * @param name What the device shows for it.
 * @returns undefined if the visitor refuses, or the device cannot make keys from passkeys.
 */
export async function makePasskeyWallet(name: string): Promise<PasskeyWallet | undefined> {
  const credential = await attempt(() =>
    navigator.credentials.create({
      publicKey: {
        rp: { name: location.hostname },
        user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        extensions: { prf: { eval: { first: ASKED } } },
      },
    }),
  );
  if (credential === undefined) return undefined;
  const output = outputOf(credential);
  if (output !== undefined) return await walletOf(output);
  // Some devices compute it only when the passkey is used.
  const canCompute = credential.getClientExtensionResults().prf?.enabled === true;
  return canCompute ? await usePasskeyWallet(credential.rawId) : undefined;
}

/**
 * The wallet of a passkey that was made on this site.
 * @param id Of the passkey; undefined: the visitor chooses.
 * @returns undefined as for {@link makePasskeyWallet}.
 */
export async function usePasskeyWallet(id?: ArrayBuffer): Promise<PasskeyWallet | undefined> {
  const credential = await attempt(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: crypto.getRandomValues(new Uint8Array(32)),
        allowCredentials: id === undefined ? [] : [{ type: 'public-key', id }],
        userVerification: 'required',
        extensions: { prf: { eval: { first: ASKED } } },
      },
    }),
  );
  const output = credential && outputOf(credential);
  return output === undefined ? undefined : await walletOf(output);
}

async function attempt(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential | undefined> {
  try {
    const credential = await ask();
    return credential instanceof PublicKeyCredential ? credential : undefined;
  } catch {
    return undefined;
  }
}

function outputOf(credential: PublicKeyCredential): BufferSource | undefined {
  return credential.getClientExtensionResults().prf?.results?.first;
}

/** Derives the key with HKDF-SHA256, from so many bits that none is likelier than another (FIPS 186-5, A.2.1). */
async function walletOf(output: BufferSource): Promise<PasskeyWallet> {
  const secret = await crypto.subtle.importKey('raw', output, 'HKDF', false, ['deriveBits']);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: INFO };
  const bits = new Uint8Array(await crypto.subtle.deriveBits(algorithm, secret, 384));
  const number = bits.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const privateKey = numberToHex((number % (ORDER - 1n)) + 1n, { size: 32 });
  return { address: privateKeyToAddress(privateKey), privateKey };
}
