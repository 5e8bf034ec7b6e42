import { AwsClient } from 'aws4fetch';
import { isHex, type Hex } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { ExpiringMap } from '../core/bounded-map.ts';
import { readText } from '../core/send-request.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { WalletAccount } from './account.ts';
import { LOCAL_KEY_ID } from './local-account.ts';

const TIMEOUT_MS = 5_000;
/** The longest reply that is read, in bytes: a secret has up to 64 KB, and JSON may escape each byte as six. */
const REPLY_BYTES = 512 * 1_024;
const CACHE_SIZE = 1_000;

const replySchema = z.object({ SecretString: z.string() });
const errorSchema = z.object({ __type: z.string() });
const secretSchema = z.object({ privateKey: z.string() });

/**
 * The key is unusable: the secret is missing, is not a private key, or is another wallet's. Only an operator can change
 * that.
 */
export class SigningKeyError extends Error {
  override readonly name = 'SigningKeyError';
}

export interface SigningKeys {
  /**
   * The signer of an account's wallet.
   * @throws {SigningKeyError} when the stored secret is not the key of `account.walletAddress`.
   * @throws {Error} when the secrets store fails or does not answer; can be retried.
   */
  signerOf(account: WalletAccount): Promise<PrivateKeyAccount>;
}

interface SigningKeySettings {
  readonly AWS_REGION: string;
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly SECRETS_ENDPOINT?: string | undefined;
  readonly PK_CACHE_TTL_SECONDS: number;
  readonly LOCAL_DEV_PRIVATE_KEY?: Hex | undefined;
}

/**
 * Signing keys from AWS Secrets Manager, cached for `PK_CACHE_TTL_SECONDS`. Concurrent requests for a key share one
 * fetch.
 */
export function createSigningKeys(settings: SigningKeySettings, clock: Clock): SigningKeys {
  const aws = new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 'secretsmanager',
    retries: 2,
  });
  const endpoint = settings.SECRETS_ENDPOINT ?? `https://secretsmanager.${settings.AWS_REGION}.amazonaws.com/`;
  const cache = new ExpiringMap<PrivateKeyAccount>(settings.PK_CACHE_TTL_SECONDS * 1_000, CACHE_SIZE);

  async function fetchSecret(secretId: string): Promise<string> {
    const reply = await aws.fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
      body: JSON.stringify({ SecretId: secretId }),
      // As in sendRequest, which this client does not use.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = jsonOf(await readText(reply, REPLY_BYTES));
    const secret = replySchema.safeParse(body).data?.SecretString;
    if (reply.ok && secret !== undefined) return secret;
    const type = errorSchema.safeParse(body).data?.__type ?? 'no error type';
    // The type may have a namespace and a # before it.
    if (type.endsWith('ResourceNotFoundException')) {
      throw new SigningKeyError(`The secrets store has no secret ${secretId}`);
    }
    throw new Error(`The secrets store answered ${reply.status} (${type})`);
  }

  const load = singleFlight(async (secretId) => {
    const privateKey =
      secretId === LOCAL_KEY_ID ? settings.LOCAL_DEV_PRIVATE_KEY : privateKeyOf(await fetchSecret(secretId));
    const signer = signerOfKey(privateKey);
    if (signer === undefined) throw new SigningKeyError(`The secret ${secretId} does not contain a private key`);
    cache.set(secretId, signer, clock.now());
    return signer;
  });

  return {
    async signerOf({ secretManagerKeyId, walletAddress }) {
      const cached = cache.get(secretManagerKeyId, clock.now());
      // A cached key of another wallet is fetched again: an operator may have replaced the secret.
      const signer = cached?.address === walletAddress ? cached : await load(secretManagerKeyId);
      if (signer.address !== walletAddress) {
        throw new SigningKeyError(
          `The secret ${secretManagerKeyId} is the key of ${signer.address}, not of the account's wallet ${walletAddress}`,
        );
      }
      return signer;
    },
  };
}

/** @returns undefined when the value is not a private key. The library's error is dropped: it would quote the value. */
function signerOfKey(value: string | undefined): PrivateKeyAccount | undefined {
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
