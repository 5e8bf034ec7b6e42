import { isHex, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { WalletAccount } from '../engine/wallet-account.store.ts';
import { awsJson, jsonOf, type AwsCredentials } from './aws-json.ts';
import { isKmsKey, loadKmsSigner, type KmsSigner } from './kms-signer.ts';
import { LOCAL_KEY_ID } from './local-account.ts';
import { SigningKeyError, type Signer } from '../engine/signer.ts';

const CACHE_SIZE = 1_000;

const replySchema = z.object({ SecretString: z.string() });
const secretSchema = z.object({ privateKey: z.string() });

export interface SigningKeys {
  /**
   * The signer of an account's wallet.
   * @throws {SigningKeyError} when the stored key is not that of `account.walletAddress`, or KMS refuses it.
   * @throws {Error} when the secrets store or KMS fails or does not answer; can be retried.
   */
  loadSigner(account: WalletAccount): Promise<Signer>;
}

interface SigningKeySettings extends AwsCredentials {
  readonly AWS_REGION: string;
  readonly SECRETS_ENDPOINT?: string | undefined;
  readonly KMS_ENDPOINT?: string | undefined;
  readonly PK_CACHE_TTL_SECONDS: number;
  readonly LOCAL_DEV_PRIVATE_KEY?: Hex | undefined;
}

/**
 * Signing keys from AWS Secrets Manager, and public keys of those in AWS KMS, cached for `PK_CACHE_TTL_SECONDS`.
 * Concurrent requests for a key share one fetch.
 */
export function createSigningKeys(settings: SigningKeySettings, clock: Clock): SigningKeys {
  const send = awsJson(settings, {
    name: 'secretsmanager',
    region: settings.AWS_REGION,
    endpoint: settings.SECRETS_ENDPOINT,
  });
  const cache = new ExpiringMap<Signer & Partial<KmsSigner>>(settings.PK_CACHE_TTL_SECONDS * 1_000, CACHE_SIZE);

  async function fetchSecret(secretId: string): Promise<string> {
    const reply = await send('secretsmanager.GetSecretValue', { SecretId: secretId });
    const secret = 'body' in reply ? replySchema.safeParse(reply.body).data?.SecretString : undefined;
    if (secret !== undefined) return secret;
    const { status, errorType } = 'errorType' in reply ? reply : { status: 200, errorType: 'no error type' };
    if (errorType === 'ResourceNotFoundException') {
      throw new SigningKeyError(`The secrets store has no secret ${secretId}`);
    }
    throw new Error(`The secrets store answered ${status} (${errorType})`);
  }

  async function loadSecret(secretId: string): Promise<Signer> {
    const privateKey =
      secretId === LOCAL_KEY_ID ? settings.LOCAL_DEV_PRIVATE_KEY : privateKeyOf(await fetchSecret(secretId));
    const signer = signerOfKey(privateKey);
    if (signer === undefined) throw new SigningKeyError(`The secret ${secretId} does not contain a private key`);
    return signer;
  }

  const load = singleFlight(async (keyId) => {
    const signer: Signer & Partial<KmsSigner> = isKmsKey(keyId)
      ? await loadKmsSigner(settings, keyId, () => clock.now())
      : await loadSecret(keyId);
    cache.set(keyId, signer, clock.now());
    return signer;
  });

  return {
    async loadSigner({ secretManagerKeyId, walletAddress }) {
      const cached = cache.get(secretManagerKeyId, clock.now());
      // A cached key of another wallet is fetched again: an operator may have replaced the secret.
      const signer = cached?.address === walletAddress ? cached : await load(secretManagerKeyId);
      if (signer.address !== walletAddress) {
        throw new SigningKeyError(
          `The key ${secretManagerKeyId} is that of ${signer.address}, not of the account's wallet ${walletAddress}`,
        );
      }
      signer.requireWorking?.();
      return signer;
    },
  };
}

/** @returns undefined when the value is not a private key. The library's error is dropped: it would quote the value. */
function signerOfKey(value: string | undefined): Signer | undefined {
  if (!isHex(value) || value.length !== 66) return undefined;
  try {
    return privateKeyToAccount(value);
  } catch {
    return undefined;
  }
}

/** A secret is either the key itself or JSON with a `privateKey`. */
function privateKeyOf(secret: string): string | undefined {
  return isHex(secret) ? secret : secretSchema.safeParse(jsonOf(secret)).data?.privateKey;
}
