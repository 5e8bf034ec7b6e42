import { AwsClient } from 'aws4fetch';
import { type Address, type Hex, isHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { encryptionKeysSetting } from '../../src/platform/encryption.ts';
import type { Environment } from '../../src/platform/environment.ts';

/**
 * How an account's secrets are kept: the endpoints and credentials of the secrets store and KMS, and the keys of what
 * the database stores.
 */
export const secretsSettingsSchema = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  ENCRYPTION_KEYS: encryptionKeysSetting,
  /** Default: AWS's endpoint for the region. */
  SECRETS_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** Default: AWS's endpoint for the region of the key. */
  KMS_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
});
export type SecretsSettings = z.output<typeof secretsSettingsSchema>;

/**
 * The name of an account's secret (specification, CorporateAccount): its `env` is prod in production and dev elsewhere.
 * @param wallet Default: the main one.
 */
export function walletSecretId(environment: Environment, corporateId: string, wallet = 'wallet'): string {
  return `/dapp/${environment === 'production' ? 'prod' : 'dev'}/corp/${corporateId}/${wallet}`;
}

const TIMEOUT_MS = 10_000;

const errorSchema = z.object({ __type: z.string(), Message: z.string().optional(), message: z.string().optional() });

/** The secrets store rejected a request; `type` is the AWS error type. */
class SecretsStoreError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(`The secrets store returned ${type}: ${message}`);
    this.type = type;
  }
}

/** Why a `fetch` failed: its own message does not say, its cause does, by a message or else a code. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(reason instanceof Error)) return String(reason);
  return reason.message !== '' ? reason.message : String('code' in reason ? reason.code : reason.name);
}

async function call(settings: SecretsSettings, operation: string, input: object): Promise<unknown> {
  const aws = new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 'secretsmanager',
    retries: 2,
  });
  const endpoint = settings.SECRETS_ENDPOINT ?? `https://secretsmanager.${settings.AWS_REGION}.amazonaws.com/`;
  const response = await aws
    .fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `secretsmanager.${operation}` },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    .catch((error: unknown) => {
      throw new Error(`The secrets store at ${new URL(endpoint).host} does not answer: ${reasonOf(error)}`, {
        cause: error,
      });
    });
  const reply: unknown = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  const error = errorSchema.safeParse(reply);
  if (!error.success) throw new Error(`The secrets store returned status ${response.status}`);
  // AWS prefixes the type with a namespace and a # in some replies.
  const type = error.data.__type.split('#').at(-1) ?? error.data.__type;
  throw new SecretsStoreError(type, error.data.Message ?? error.data.message ?? '');
}

/**
 * @returns whether the wallet of an account can be read: a secret with this name exists.
 * @throws when the secrets store does not answer or rejects the request. No message contains a key.
 */
export async function walletSecretExists(settings: SecretsSettings, secretId: string): Promise<boolean> {
  try {
    await call(settings, 'GetSecretValue', { SecretId: secretId });
    return true;
  } catch (error) {
    if (error instanceof SecretsStoreError && error.type === 'ResourceNotFoundException') return false;
    throw error;
  }
}

const walletSchema = z.object({
  privateKey: z.string().refine((value): value is Hex => isHex(value) && value.length === 66),
});

/**
 * @returns the private key in a secret.
 * @throws when the secrets store rejects the request, or the secret contains something else. No message contains a key.
 */
export async function walletKey(settings: SecretsSettings, secretId: string): Promise<Hex> {
  const stored = z
    .object({ SecretString: z.string() })
    .parse(await call(settings, 'GetSecretValue', { SecretId: secretId }));
  const { SecretString: text } = stored;
  try {
    // An operator may have stored the key itself.
    return walletSchema.parse(isHex(text) ? { privateKey: text } : JSON.parse(text)).privateKey;
  } catch {
    // No cause: it would quote the secret.
    throw new Error(`The secret ${secretId} exists but does not contain a wallet's private key`);
  }
}

/**
 * Returns the address of the wallet whose key is in the secret. If the secret does not exist, a wallet is generated and
 * its key stored. An existing secret is never changed, so a retry after a crash returns the same wallet.
 * @throws when the secrets store rejects the request, or the secret contains something else. No message contains a key.
 */
export async function ensureWalletSecret(settings: SecretsSettings, secretId: string): Promise<Address> {
  const privateKey = generatePrivateKey();
  try {
    await call(settings, 'CreateSecret', {
      Name: secretId,
      Description: 'Signing key of a corporate wallet',
      SecretString: JSON.stringify({ privateKey }),
      ClientRequestToken: crypto.randomUUID(),
    });
    return privateKeyToAddress(privateKey);
  } catch (error) {
    if (!(error instanceof SecretsStoreError && error.type === 'ResourceExistsException')) throw error;
  }
  return privateKeyToAddress(await walletKey(settings, secretId));
}
