import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, hexToBytes, keccak256, serializeTransaction, type Address, type Hex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { EpochMs } from '../core/epoch-ms.ts';
import { awsJson, type AwsCredentials, type AwsSend } from './aws-json.ts';
import { SigningKeyError, type Signer } from '../engine/signer.ts';

/** `arn:aws:kms:REGION:ACCOUNT:key/ID` or `:alias/NAME`, in a partition of AWS whose hosts end with amazonaws.com. */
const KMS_ARN = /^arn:aws(-us-gov)?:kms:(?<region>[a-z0-9-]+):\d{12}:(key|alias)\/[\w/:-]+$/;

/** DER of a SubjectPublicKeyInfo (RFC 5480) of an uncompressed point of secp256k1, up to the point. */
const PUBLIC_KEY_PREFIX = '0x3056301006072a8648ce3d020106052b8104000a034200';
const POINT_BYTES = 65;

/** Errors that last until an operator changes the key or what may use it. */
const REFUSALS = new Set([
  'AccessDeniedException',
  'DisabledException',
  'InvalidArnException',
  'InvalidKeyUsageException',
  'KMSInvalidStateException',
  'NotFoundException',
  'UnsupportedOperationException',
  'ValidationException',
]);
/** How long a key that has failed to sign is not asked again. */
const PAUSE_MS = 2_000;
/**
 * The least time between two signatures of a key, which is 50 a second. KMS limits those of all keys of an AWS account
 * and region together, to 300 a second or more: one wallet must not use up what the others need.
 */
const PACE_MS = 20;

const base64 = z.base64().transform((text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0)));
const publicKeySchema = z.object({ PublicKey: base64 });
const signatureSchema = z.object({ Signature: base64 });

/** A signer whose key stays in AWS KMS. */
export interface KmsSigner extends Signer {
  /** @throws why the key could not sign, for a short time afterwards. */
  requireWorking(): void;
}

/** Whether an account's `secretManagerKeyId` names a key in AWS KMS. */
export function isKmsKey(keyId: string): boolean {
  return KMS_ARN.test(keyId);
}

/**
 * The signer of a key in AWS KMS. Its key spec is ECC_SECG_P256K1, its usage SIGN_VERIFY.
 * @param arn Of the key, or of an alias.
 * @throws {SigningKeyError} when KMS refuses the key, or it is of another kind.
 * @throws {Error} when KMS fails or does not answer; can be retried.
 */
export async function loadKmsSigner(
  credentials: AwsCredentials & { readonly KMS_ENDPOINT?: string | undefined },
  arn: string,
  now: () => EpochMs,
): Promise<KmsSigner> {
  const region = KMS_ARN.exec(arn)?.groups?.['region'];
  if (region === undefined) throw new SigningKeyError(`${arn} is not the ARN of a KMS key`);
  const send = awsJson(credentials, { name: 'kms', region, endpoint: credentials.KMS_ENDPOINT });
  const address = deriveAddress(arn, await ask(send, 'GetPublicKey', { KeyId: arn }, publicKeySchema));
  let failure: { readonly error: unknown; readonly until: EpochMs } | undefined;
  let nextAt = 0;
  const turn = async () => {
    const wait = nextAt - now();
    nextAt = Math.max(now(), nextAt) + PACE_MS;
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  };
  return {
    address,
    requireWorking() {
      if (failure !== undefined && now() < failure.until) throw failure.error;
    },
    async signTransaction(transaction) {
      try {
        const hash = keccak256(serializeTransaction(transaction));
        await turn();
        return serializeTransaction(transaction, await signDigest(send, arn, address, hash));
      } catch (error) {
        failure = { error, until: now() + PAUSE_MS };
        throw error;
      }
    },
  };
}

/** Asks KMS to sign a digest. It says neither which of two public keys a signature fits, nor keeps s low (EIP-2). */
async function signDigest(send: AwsSend, arn: string, address: Address, digest: Hex) {
  const { Signature: der } = await ask(
    send,
    'Sign',
    {
      KeyId: arn,
      Message: btoa(String.fromCharCode(...hexToBytes(digest))),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    },
    signatureSchema,
  );
  const signature = signatureOf(der)?.normalizeS();
  const yParity = [0, 1].find((bit) => signature !== undefined && recover(signature, bit, digest) === address);
  if (signature === undefined || yParity === undefined) {
    throw new Error(`The signature of the KMS key ${arn} does not fit its public key`);
  }
  return { r: hexOf(signature.r), s: hexOf(signature.s), yParity };
}

type Signature = InstanceType<typeof secp256k1.Signature>;

/** @returns undefined when it is not a signature. */
function signatureOf(der: Uint8Array): Signature | undefined {
  try {
    return secp256k1.Signature.fromDER(der);
  } catch {
    return undefined;
  }
}

/** @returns undefined when there is no such public key. */
function recover(signature: Signature, bit: number, digest: Hex): Address | undefined {
  try {
    const point = signature.addRecoveryBit(bit).recoverPublicKey(digest.slice(2));
    return publicKeyToAddress(bytesToHex(point.toRawBytes(false)));
  } catch {
    return undefined;
  }
}

function hexOf(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

function deriveAddress(arn: string, { PublicKey: der }: z.output<typeof publicKeySchema>): Address {
  const point = der.slice(-POINT_BYTES);
  if (bytesToHex(der.slice(0, -POINT_BYTES)) !== PUBLIC_KEY_PREFIX) {
    throw new SigningKeyError(`The KMS key ${arn} is not of the key spec ECC_SECG_P256K1`);
  }
  return publicKeyToAddress(bytesToHex(point));
}

async function ask<Schema extends z.ZodType>(
  send: AwsSend,
  operation: 'GetPublicKey' | 'Sign',
  input: { readonly KeyId: string; readonly [field: string]: string },
  schema: Schema,
): Promise<z.output<Schema>> {
  const reply = await send(`TrentService.${operation}`, input);
  if ('body' in reply) {
    const result = schema.safeParse(reply.body);
    if (result.success) return result.data;
    throw new Error(`KMS answered ${operation} with something else`);
  }
  const message = `KMS refused the key ${input.KeyId}: ${reply.errorType}`;
  throw REFUSALS.has(reply.errorType) ? new SigningKeyError(message) : new Error(`${message} (${reply.status})`);
}
