import { AwsClient } from 'aws4fetch';
import { isHex } from 'viem';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { PrivateKeyAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { readText } from '../core/read-text.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { Account } from './account.ts';
import { LOCAL_KEY_ID } from './local-account.ts';

const TIMEOUT_MS = 5_000;
/** The most that is read of a reply, in bytes: a secret has up to 64 KB, which JSON may write in six times as many. */
const REPLY_BYTES = 512 * 1_024;
/** How many keys are held in memory; the one fetched longest ago goes first. */
const CACHE_SIZE = 1_000;

const replySchema = z.object({ SecretString: z.string() });
const faultSchema = z.object({ __type: z.string() });
const secretSchema = z.object({ privateKey: z.string() });

/** The key cannot be used: it is not there, is no key, or is the key of another wallet. Only an operator can mend it. */
export class SigningKeyRefused extends Error {
  override readonly name = 'SigningKeyRefused';
}

export interface SigningKeys {
  /**
   * The signer of an account's wallet.
   * @throws {SigningKeyRefused} when the stored secret is not the key of `account.walletAddress`.
   * @throws {Error} when the secrets store does not answer; worth another try.
   */
  signerOf(account: Account): Promise<PrivateKeyAccount>;
}

interface SigningKeySettings {
  readonly AWS_REGION: string;
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly SECRETS_ENDPOINT?: string | undefined;
  readonly PK_CACHE_TTL_SECONDS: number;
  readonly LOCAL_DEV_PRIVATE_KEY?: Hex | undefined;
}

/** Signing keys from AWS Secrets Manager, held in memory for `PK_CACHE_TTL_SECONDS`; one fetch when many need a key. */
export function createSigningKeys(settings: SigningKeySettings, clock: Clock): SigningKeys {
  const aws = new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 'secretsmanager',
    retries: 2,
  });
  const endpoint = settings.SECRETS_ENDPOINT ?? `https://secretsmanager.${settings.AWS_REGION}.amazonaws.com/`;
  const cache = new Map<string, { readonly signer: PrivateKeyAccount; readonly until: number }>();

  async function fetchSecret(secretId: string): Promise<string> {
    const reply = await aws.fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
      body: JSON.stringify({ SecretId: secretId }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = jsonOf(await readText(reply, REPLY_BYTES));
    const secret = replySchema.safeParse(body).data?.SecretString;
    if (reply.ok && secret !== undefined) return secret;
    const fault = faultSchema.safeParse(body).data?.__type ?? 'no error type';
    // The type may stand behind a namespace and a #.
    if (fault.endsWith('ResourceNotFoundException')) {
      throw new SigningKeyRefused(`The secrets store has no secret ${secretId}`);
    }
    throw new Error(`The secrets store answered ${reply.status} (${fault})`);
  }

  const load = singleFlight(async (secretId) => {
    const privateKey =
      secretId === LOCAL_KEY_ID ? settings.LOCAL_DEV_PRIVATE_KEY : privateKeyOf(await fetchSecret(secretId));
    const signer = signerOfKey(privateKey);
    if (signer === undefined) throw new SigningKeyRefused(`The secret ${secretId} holds no private key`);
    cache.delete(secretId);
    cache.set(secretId, { signer, until: clock.now() + settings.PK_CACHE_TTL_SECONDS * 1_000 });
    const [oldest] = cache.keys();
    if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
    return signer;
  });

  return {
    async signerOf({ secretManagerKeyId, walletAddress }) {
      const cached = cache.get(secretManagerKeyId);
      // A key that does not fit is never taken from memory: an operator may have put the right one in its place.
      const isUsable = cached !== undefined && cached.until > clock.now() && cached.signer.address === walletAddress;
      const signer = isUsable ? cached.signer : await load(secretManagerKeyId);
      if (signer.address !== walletAddress) {
        throw new SigningKeyRefused(
          `The secret ${secretManagerKeyId} is the key of ${signer.address}, not of the account's wallet ${walletAddress}`,
        );
      }
      return signer;
    },
  };
}

/** @returns undefined where the value is no private key; the reason would quote it. */
function signerOfKey(value: string | undefined): PrivateKeyAccount | undefined {
  if (!isHex(value) || value.length !== 66) return undefined;
  try {
    return privateKeyToAccount(value);
  } catch {
    return undefined;
  }
}

/** A secret is the key itself, or JSON with a `privateKey`. */
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
