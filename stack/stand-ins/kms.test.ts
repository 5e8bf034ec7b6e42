import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CancelKeyDeletionCommand,
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListKeysCommand,
  ScheduleKeyDeletionCommand,
  SignCommand,
  type SignCommandInput,
} from '@aws-sdk/client-kms';
import { secp256k1 } from '@noble/curves/secp256k1';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startKms, type Kms, type KmsOptions } from './kms.ts';

const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/with+signs=' };
const region = 'eu-west-3';

let directory: string;
let kms: Kms;
let client: KMSClient;

const start = async (more: Partial<KmsOptions> = {}) => {
  kms = await startKms({ file: join(directory, 'kms.json'), region, credentials, ...more });
  client = new KMSClient({ endpoint: kms.url, region, credentials, maxAttempts: 1 });
};
const stop = async () => {
  client.destroy();
  await kms.stop();
};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kms-'));
  await start();
});

afterEach(async () => {
  vi.useRealTimers();
  await stop();
  await rm(directory, { recursive: true, force: true });
});

async function createKey(
  KeySpec: 'ECC_SECG_P256K1' | 'ECC_NIST_P256' = 'ECC_SECG_P256K1',
): Promise<{ readonly id: string; readonly arn: string }> {
  const { KeyMetadata } = await client.send(new CreateKeyCommand({ KeySpec, KeyUsage: 'SIGN_VERIFY' }));
  return { id: KeyMetadata?.KeyId ?? '', arn: KeyMetadata?.Arn ?? '' };
}

const signDigest = async (KeyId: string, digest: Uint8Array, more: Partial<SignCommandInput> = {}) =>
  await client.send(
    new SignCommand({ KeyId, Message: digest, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256', ...more }),
  );

it('a created key is described by its id and by its ARN', async () => {
  const { id, arn } = await createKey();
  expect(arn).toBe(`arn:aws:kms:${region}:000000000000:key/${id}`);
  for (const KeyId of [id, arn]) {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({
      KeyId: id,
      Arn: arn,
      KeySpec: 'ECC_SECG_P256K1',
      KeyUsage: 'SIGN_VERIFY',
      KeyState: 'Enabled',
      SigningAlgorithms: ['ECDSA_SHA_256'],
      CreationDate: expect.any(Date),
    });
  }
});

it('signatures fit the public key, differ each time, and have a high s about as often as a low one', async () => {
  const { arn } = await createKey();
  const { PublicKey = new Uint8Array(), ...described } = await client.send(new GetPublicKeyCommand({ KeyId: arn }));
  expect(described).toMatchObject({ KeyId: arn, KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY' });
  const digest = randomBytes(32);
  const signatures = await Promise.all(
    Array.from({ length: 64 }, async () => {
      const { Signature = new Uint8Array(), KeyId, SigningAlgorithm } = await signDigest(arn, digest);
      expect([KeyId, SigningAlgorithm]).toEqual([arn, 'ECDSA_SHA_256']);
      return secp256k1.Signature.fromDER(Signature);
    }),
  );
  const point = PublicKey.slice(-65);
  expect(signatures.every((each) => secp256k1.verify(each, digest, point, { lowS: false }))).toBe(true);
  expect(new Set(signatures.map(({ r }) => r)).size).toBe(64);
  // Fewer than 8 of 64 are as likely as 1 in 10^10.
  const high = signatures.filter((each) => each.hasHighS()).length;
  expect(high).toBeGreaterThanOrEqual(8);
  expect(high).toBeLessThanOrEqual(56);
});

it('a message is hashed with SHA-256 unless it is a digest', async () => {
  const { arn } = await createKey();
  const { PublicKey = new Uint8Array() } = await client.send(new GetPublicKeyCommand({ KeyId: arn }));
  const message = Buffer.from('a message');
  const { Signature = new Uint8Array() } = await signDigest(arn, message, { MessageType: 'RAW' });
  const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
  expect(verify('sha256', message, key, Signature)).toBe(true);
});

it('an alias stands for its key, by its name and by its ARN', async () => {
  const { id, arn } = await createKey();
  await client.send(new CreateAliasCommand({ AliasName: 'alias/mint', TargetKeyId: id }));
  for (const KeyId of ['alias/mint', `arn:aws:kms:${region}:000000000000:alias/mint`]) {
    expect(await client.send(new GetPublicKeyCommand({ KeyId }))).toMatchObject({ KeyId: arn });
    expect(await signDigest(KeyId, randomBytes(32))).toMatchObject({ KeyId: arn });
  }
  await expect(client.send(new CreateAliasCommand({ AliasName: 'alias/mint', TargetKeyId: id }))).rejects.toMatchObject(
    { name: 'AlreadyExistsException' },
  );
});

describe('a request is refused with the error of AWS', () => {
  it('when the key does not exist', async () => {
    for (const KeyId of ['0f1e', `arn:aws:kms:${region}:000000000000:key/0f1e`, 'alias/none']) {
      await expect(client.send(new GetPublicKeyCommand({ KeyId }))).rejects.toMatchObject({
        name: 'NotFoundException',
        $metadata: { httpStatusCode: 400 },
      });
      await expect(signDigest(KeyId, randomBytes(32))).rejects.toMatchObject({ name: 'NotFoundException' });
    }
  });

  it('while the key is disabled, or will be deleted, and not once it is enabled again', async () => {
    const { arn: KeyId } = await createKey();
    const both = async (name: string) => {
      await expect(client.send(new GetPublicKeyCommand({ KeyId }))).rejects.toMatchObject({ name });
      await expect(signDigest(KeyId, randomBytes(32))).rejects.toMatchObject({ name });
    };
    await client.send(new DisableKeyCommand({ KeyId }));
    await both('DisabledException');
    await client.send(new ScheduleKeyDeletionCommand({ KeyId }));
    await both('KMSInvalidStateException');
    await client.send(new CancelKeyDeletionCommand({ KeyId }));
    await both('DisabledException');
    await client.send(new EnableKeyCommand({ KeyId }));
    expect(await signDigest(KeyId, randomBytes(32))).toMatchObject({ KeyId });
  });

  it('when the key cannot make such signatures, or the digest is not of 32 bytes', async () => {
    const { arn: other } = await createKey('ECC_NIST_P256');
    await expect(signDigest(other, randomBytes(32), { SigningAlgorithm: 'ECDSA_SHA_384' })).rejects.toMatchObject({
      name: 'InvalidKeyUsageException',
    });
    const { KeyMetadata } = await client.send(new CreateKeyCommand({}));
    await expect(client.send(new GetPublicKeyCommand({ KeyId: KeyMetadata?.KeyId }))).rejects.toMatchObject({
      name: 'UnsupportedOperationException',
    });
    const { arn } = await createKey();
    await expect(signDigest(arn, randomBytes(20))).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('over the rate of signatures, of all keys together', async () => {
    const keys = [await createKey(), await createKey()];
    await stop();
    await start({ signaturesPerSecond: 3 });
    vi.useFakeTimers({ toFake: ['Date'] });
    const sign = () =>
      Promise.allSettled(keys.flatMap(({ arn }) => [0, 1].map(() => signDigest(arn, randomBytes(32)))));
    const refusals = (replies: Awaited<ReturnType<typeof sign>>) =>
      replies.flatMap((reply) => (reply.status === 'rejected' ? [reply.reason] : []));
    expect(refusals(await sign())).toMatchObject([{ name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } }]);
    expect(refusals(await sign())).toHaveLength(4);
    vi.advanceTimersByTime(1_000);
    expect(refusals(await sign())).toHaveLength(1);
  });

  it('with a wrong secret key, for an unsupported operation, and for an invalid name', async () => {
    const wrong = new KMSClient({ endpoint: kms.url, region, credentials: { ...credentials, secretAccessKey: 'no' } });
    await expect(wrong.send(new DescribeKeyCommand({ KeyId: 'a' }))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
    wrong.destroy();
    await expect(client.send(new ListKeysCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' });
    await expect(client.send(new CreateAliasCommand({ AliasName: 'mint', TargetKeyId: 'a' }))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });
});

it('gives a wallet its own key, which is the same at each call', async () => {
  const arn = kms.walletKey('alias/one');
  expect([kms.walletKey('alias/one'), kms.walletKey('alias/two') === arn]).toEqual([arn, false]);
  expect(await client.send(new GetPublicKeyCommand({ KeyId: arn }))).toMatchObject({ KeySpec: 'ECC_SECG_P256K1' });
});

it('keys and aliases survive a restart, in a file that only its owner can read', async () => {
  const { id, arn } = await createKey();
  await client.send(new CreateAliasCommand({ AliasName: 'alias/mint', TargetKeyId: id }));
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: arn }));
  expect((await stat(join(directory, 'kms.json'))).mode & 0o777).toBe(0o600);
  await stop();
  await start();
  expect((await client.send(new GetPublicKeyCommand({ KeyId: 'alias/mint' }))).PublicKey).toEqual(PublicKey);
});
