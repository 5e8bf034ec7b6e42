import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { parseTransaction, recoverTransactionAddress, type Hex, type TransactionSerializedEIP1559 } from 'viem';
import { KmsKey } from '../../stack/kms-key.ts';
import { isKmsKey } from './kms-signer.ts';
import { SigningKeyError } from '../engine/signer.ts';
import { createSigningKeys } from './signing-keys.ts';

const arn = 'arn:aws:kms:ap-northeast-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const privateKey = generatePrivateKey();
const account = {
  id: '0'.repeat(24),
  corporateId: 'acme',
  walletAddress: privateKeyToAddress(privateKey),
  secretManagerKeyId: arn,
};
/** secp256k1's order, halved: EIP-2 refuses a higher s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const transaction = { type: 'eip1559', chainId: 43_114, nonce: 7, to: account.walletAddress, value: 0n } as const;

const requests: Request[] = [];
let now = 0;
let key: KmsKey;
let sign: (digest: Uint8Array) => Response;
let publicKey: () => Response;

const failure = (status: number, type: string) => Response.json({ __type: type, message: 'no' }, { status });
const signed =
  (isHigh: boolean, by = key) =>
  (digest: Uint8Array) =>
    Response.json({ Signature: by.sign(digest, crypto.getRandomValues(new Uint8Array(32)), isHigh) });

beforeEach(() => {
  requests.length = 0;
  now = 0;
  key = new KmsKey(privateKey);
  publicKey = () => Response.json({ KeyId: arn, PublicKey: key.publicKey });
  sign = signed(false);
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    requests.push(request.clone());
    const { KeyId, Message } = await request.json<{ KeyId: string; Message?: string }>();
    if (KeyId !== arn) return failure(400, 'NotFoundException');
    return Message === undefined
      ? publicKey()
      : sign(Uint8Array.from(atob(Message), (character) => character.charCodeAt(0)));
  });
});
afterEach(() => vi.restoreAllMocks());

const create = () =>
  createSigningKeys(
    {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: 'aws-secret',
      PK_CACHE_TTL_SECONDS: 300,
    },
    { now: () => now },
  );
const sOf = (raw: Hex) => BigInt(parseTransaction(raw as TransactionSerializedEIP1559).s ?? 0);

describe('a signer in AWS KMS', () => {
  it('signs at a pace that leaves most of what KMS allows to other wallets', async () => {
    const waits: unknown[] = [];
    const signer = await create().loadSigner(account);
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((proceed, milliseconds) => {
      waits.push(milliseconds);
      proceed();
      return 0;
    });
    const sendThree = () => Promise.all([1, 2, 3].map((nonce) => signer.signTransaction({ ...transaction, nonce })));
    await sendThree();
    now = 30;
    await sendThree();
    now = 1_000;
    await signer.signTransaction(transaction);
    expect(waits).toEqual([20, 40, 30, 50, 70]);
  });

  it('asks the region of the key for the public key once, and for each signature of a digest', async () => {
    const keys = create();
    const signer = await keys.loadSigner(account);
    expect(signer.address).toBe(account.walletAddress);
    const raw = await signer.signTransaction(transaction);
    expect(await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 })).toBe(
      account.walletAddress,
    );
    await keys.loadSigner(account);
    expect(requests.map(({ url, headers }) => [url, headers.get('x-amz-target')])).toEqual([
      ['https://kms.ap-northeast-2.amazonaws.com/', 'TrentService.GetPublicKey'],
      ['https://kms.ap-northeast-2.amazonaws.com/', 'TrentService.Sign'],
    ]);
    expect(requests[1]?.headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/ap-northeast-2\/kms\/aws4_request/,
    );
    expect(await requests[1]?.json()).toMatchObject({ MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' });
  });

  it('turns a high s low, and finds which public key it fits', async () => {
    const signer = await create().loadSigner(account);
    for (let index = 0; index < 20; index += 1) {
      sign = signed(index % 2 === 0);
      const raw = await signer.signTransaction({ ...transaction, nonce: index });
      expect(sOf(raw)).toBeLessThanOrEqual(HALF_ORDER);
      expect(await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerializedEIP1559 })).toBe(
        account.walletAddress,
      );
    }
  });

  it('refuses a signature by another key, and what is no signature', async () => {
    const keys = create();
    for (const wrong of [
      signed(false, new KmsKey(generatePrivateKey())),
      () => Response.json({ Signature: 'AAAA' }),
      () => Response.json({ Signature: 'not base64' }),
      () => new Response('not JSON'),
    ]) {
      now += 10_000;
      const signer = await keys.loadSigner(account);
      sign = wrong;
      await expect(signer.signTransaction(transaction)).rejects.toThrow(/KMS/);
    }
  });

  it('refuses the key of another wallet or of another kind', async () => {
    publicKey = () => Response.json({ PublicKey: new KmsKey(generatePrivateKey()).publicKey });
    await expect(create().loadSigner(account)).rejects.toThrow(SigningKeyError);
    publicKey = () =>
      Response.json({
        PublicKey: key.publicKey.replace('MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE', 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'),
      });
    await expect(create().loadSigner(account)).rejects.toThrow('is not of the key spec ECC_SECG_P256K1');
  });

  it('says for good why KMS refuses the key, and of other failures that they can be retried', async () => {
    for (const type of ['AccessDeniedException', 'com.amazonaws.kms#DisabledException', 'NotFoundException']) {
      publicKey = () => failure(400, type);
      await expect(create().loadSigner(account)).rejects.toThrow(SigningKeyError);
    }
    publicKey = () => failure(400, 'ThrottlingException');
    await expect(create().loadSigner(account)).rejects.not.toThrow(SigningKeyError);
  });

  it('does not ask a key that has just failed to sign', async () => {
    const keys = create();
    const signer = await keys.loadSigner(account);
    sign = () => failure(400, 'ThrottlingException');
    await expect(signer.signTransaction(transaction)).rejects.toThrow('ThrottlingException');
    now += 1_999;
    await expect(keys.loadSigner(account)).rejects.toThrow('ThrottlingException');
    expect(requests).toHaveLength(2);
    now += 1;
    sign = signed(true);
    await (await keys.loadSigner(account)).signTransaction(transaction);
  });
});

describe('isKmsKey', () => {
  it.each([
    arn,
    'arn:aws:kms:eu-west-1:111122223333:alias/nft/main',
    'arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab',
  ])('is true of %s', (id) => {
    expect(isKmsKey(id)).toBe(true);
  });

  it.each([
    '/dapp/prod/corp/acme/wallet',
    'arn:aws-cn:kms:cn-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    'arn:aws:secretsmanager:eu-west-1:111122223333:secret:a',
    `${arn}\n`,
  ])('is false of %j', (id) => {
    expect(isKmsKey(id)).toBe(false);
  });
});
