import { AwsClient } from 'aws4fetch';
import { secretsSettingsSchema, walletSecretExists, walletSecretId } from '../corporate/wallet-secret.ts';
import { walletSigner } from '../corporate/wallet-signer.ts';
import type { DatabaseState } from '../database-state.ts';
import { isKmsKey } from '../../src/accounts/kms-signer.ts';
import type { Settings } from '../../src/platform/env.ts';
import { bucketUrl } from '../../src/platform/object-store.ts';
import { type Finding, missing, reasonOf } from './finding.ts';

const TIMEOUT_MS = 10_000;

/**
 * Checks that the Worker's credentials may read secrets of wallets: the first one, or while there is none, one that
 * does not exist.
 * @param values The settings as text.
 */
export async function checkSecretsStore(
  settings: Settings,
  values: Readonly<Record<string, unknown>>,
  wallets: DatabaseState['wallets'],
): Promise<Finding[]> {
  const first = wallets.find(({ keyId }) => !isKmsKey(keyId));
  const secretId = first?.keyId ?? walletSecretId(settings.ENVIRONMENT, 'deployment-check');
  try {
    const exists = await walletSecretExists(secretsSettingsSchema.parse(values), secretId);
    return exists || first === undefined
      ? []
      : [missing(`The secrets store has no wallet of ${first.corporateId}`, `restore the secret ${secretId}`)];
  } catch (error) {
    return [
      missing(
        error instanceof Error ? error.message : String(error),
        'correct AWS_REGION and the AWS keys, and allow secretsmanager:GetSecretValue; see docs/operations.md',
      ),
    ];
  }
}

/** Checks that the Worker's credentials may use KMS: the first key there that signs for a wallet, if there is one. */
export async function checkKms(
  values: Readonly<Record<string, unknown>>,
  wallets: DatabaseState['wallets'],
): Promise<Finding[]> {
  const first = wallets.find(({ keyId }) => isKmsKey(keyId));
  if (first === undefined) return [];
  try {
    await walletSigner(secretsSettingsSchema.parse(values), first);
    return [];
  } catch (error) {
    return [
      missing(
        error instanceof Error ? error.message : String(error),
        'enable the key, and allow kms:GetPublicKey and kms:Sign; see docs/kms.md',
      ),
    ];
  }
}

/** Checks that the Worker may write to the bucket, by an upload that is begun and given up. */
export async function checkBucket(settings: Settings): Promise<Finding[]> {
  const { S3_BUCKET: bucket, ...rest } = settings;
  if (bucket === undefined) return [];
  const url = bucketUrl({ ...rest, S3_BUCKET: bucket });
  const aws = new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 's3',
    retries: 1,
  });
  const request = (method: string, query: string) =>
    aws.fetch(`${url}/deployment-check?${query}`, { method, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const command =
    'create the bucket, correct S3_ENDPOINT and S3_BUCKET, and allow s3:PutObject; see docs/operations.md';
  try {
    const begun = await request('POST', 'uploads=');
    const reply = await begun.text();
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(reply) ?? [];
    if (uploadId === undefined) {
      const [, code = `status ${begun.status}`] = /<Code>([^<]+)<\/Code>/.exec(reply) ?? [];
      return [missing(`The bucket ${bucket} at ${new URL(url).host} takes no uploads: ${code}`, command)];
    }
    // If that fails, the bucket's lifecycle rule removes the upload.
    await request('DELETE', `uploadId=${encodeURIComponent(uploadId)}`);
    return [];
  } catch (error) {
    return [missing(`The object store at ${new URL(url).host} does not answer: ${reasonOf(error)}`, command)];
  }
}
