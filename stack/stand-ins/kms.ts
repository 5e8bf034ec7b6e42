import { createHash, generateKeyPairSync, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { isHex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { z } from 'zod';
import { readFileIfExists, writePrivateFile } from '../../cli/local-stack/private-file.ts';
import type { HttpServer } from '../http-server.ts';
import { KmsKey } from '../kms-key.ts';
import { ServiceError, startAwsJsonService } from './aws-json-service.ts';
import type { AwsCredentials } from './aws-signature.ts';

export interface KmsOptions {
  /** Where the keys are stored, with mode 0600. */
  readonly file: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** How many signatures it makes in a second, of all keys together; default: the least that AWS has for such keys. */
  readonly signaturesPerSecond?: number;
}

export interface Kms extends HttpServer {
  /** The ARN of the key for a wallet that has this alias, such as `alias/demo`; it is created at the first call. */
  walletKey(alias: string): string;
}

/**
 * Of elliptic curves, in the regions with the lowest one.
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html
 */
const LOWEST_QUOTA = 300;
const ACCOUNT = '000000000000';

/** The usage of the keys that can be created: of those that sign for wallets, and of others, which only exist. */
const SPECS = {
  ECC_SECG_P256K1: 'SIGN_VERIFY',
  ECC_NIST_P256: 'SIGN_VERIFY',
  SYMMETRIC_DEFAULT: 'ENCRYPT_DECRYPT',
} as const;

const keySchema = z.object({
  id: z.string(),
  spec: z.enum(['ECC_SECG_P256K1', 'ECC_NIST_P256', 'SYMMETRIC_DEFAULT']),
  /** 32 bytes; null for keys that only exist. */
  privateKey: z.string().refine(isHex).nullable(),
  /** DER in base64; null for a symmetric key. */
  publicKey: z.string().nullable(),
  state: z.enum(['Enabled', 'Disabled', 'PendingDeletion']),
  /** Seconds since 1970, the service's date format. */
  createdAt: z.number(),
});
const storeSchema = z.object({
  keys: z.array(keySchema),
  /** Key ids by alias, such as `alias/demo`. */
  aliases: z.record(z.string(), z.string()),
});
type Key = z.output<typeof keySchema>;

const keyRequest = z.object({ KeyId: z.string().min(1).max(2_048) });
const createRequest = z.object({
  KeySpec: keySchema.shape.spec.default('SYMMETRIC_DEFAULT'),
  KeyUsage: z.enum(['SIGN_VERIFY', 'ENCRYPT_DECRYPT']).default('ENCRYPT_DECRYPT'),
});
const aliasRequest = z.object({
  AliasName: z.string().regex(/^alias\/[a-zA-Z0-9/_-]+$/),
  TargetKeyId: z.string().min(1),
});
const signRequest = keyRequest.extend({
  Message: z.base64().transform((text) => Buffer.from(text, 'base64')),
  MessageType: z.enum(['RAW', 'DIGEST']).default('RAW'),
  SigningAlgorithm: z.string(),
});

function materialOf(spec: Key['spec']): Pick<Key, 'privateKey' | 'publicKey'> {
  if (spec === 'SYMMETRIC_DEFAULT') return { privateKey: null, publicKey: null };
  if (spec === 'ECC_SECG_P256K1') {
    const privateKey = generatePrivateKey();
    return { privateKey, publicKey: new KmsKey(privateKey).publicKey };
  }
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { privateKey: null, publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
}

/** The operations on the keys, independent of HTTP. Inputs are unvalidated JSON. */
class Keys {
  readonly #file: string;
  readonly #region: string;
  readonly #quota: number;
  readonly #stored: z.output<typeof storeSchema>;
  /** Signatures since the beginning of the second. */
  #signed = { second: 0, count: 0 };

  constructor({ file, region, signaturesPerSecond = LOWEST_QUOTA }: KmsOptions) {
    this.#file = file;
    this.#region = region;
    this.#quota = signaturesPerSecond;
    this.#stored = storeSchema.parse(JSON.parse(readFileIfExists(file) ?? '{"keys":[],"aliases":{}}'));
  }

  #save(): void {
    writePrivateFile(this.#file, JSON.stringify(this.#stored));
  }

  #arn(resource: string): string {
    return `arn:aws:kms:${this.#region}:${ACCOUNT}:${resource}`;
  }

  #arnOf({ id }: Key): string {
    return this.#arn(`key/${id}`);
  }

  /** @param name The id or the ARN of a key or an alias. */
  #find(name: string): Key {
    const resource = name.startsWith(this.#arn('')) ? name.slice(this.#arn('').length) : name;
    const id = this.#stored.aliases[resource] ?? resource.replace(/^key\//, '');
    const key = this.#stored.keys.find((each) => each.id === id);
    if (key !== undefined) return key;
    const message = resource.startsWith('alias/')
      ? `Alias ${this.#arn(resource)} is not found.`
      : `Key '${this.#arn(`key/${id}`)}' does not exist`;
    throw new ServiceError('NotFoundException', message);
  }

  /** A key whose state allows it to be used. */
  #findUsable(name: string): Key {
    const key = this.#find(name);
    const arn = this.#arnOf(key);
    if (key.state === 'Disabled') throw new ServiceError('DisabledException', `${arn} is disabled.`);
    if (key.state === 'PendingDeletion') {
      throw new ServiceError('KMSInvalidStateException', `${arn} is pending deletion.`);
    }
    return key;
  }

  #shown(key: Key) {
    const { id, spec, state, createdAt } = key;
    const usage = SPECS[spec];
    return {
      AWSAccountId: ACCOUNT,
      KeyId: id,
      Arn: this.#arnOf(key),
      CreationDate: createdAt,
      Enabled: state === 'Enabled',
      Description: '',
      KeyUsage: usage,
      KeyState: state,
      Origin: 'AWS_KMS',
      KeyManager: 'CUSTOMER',
      CustomerMasterKeySpec: spec,
      KeySpec: spec,
      ...(usage === 'SIGN_VERIFY' ? { SigningAlgorithms: ['ECDSA_SHA_256'] } : {}),
      MultiRegion: false,
    };
  }

  create(input: unknown): object {
    return { KeyMetadata: this.#shown(this.#create(createRequest.parse(input))) };
  }

  #create({ KeySpec: spec, KeyUsage }: z.output<typeof createRequest>): Key {
    if (KeyUsage !== SPECS[spec]) {
      throw new ServiceError('ValidationException', `KeyUsage ${KeyUsage} is not compatible with KeySpec ${spec}`);
    }
    const key: Key = {
      id: randomUUID(),
      spec,
      ...materialOf(spec),
      state: 'Enabled',
      createdAt: Date.now() / 1_000,
    };
    this.#stored.keys.push(key);
    this.#save();
    return key;
  }

  createAlias(input: unknown): object {
    const { AliasName: alias, TargetKeyId } = aliasRequest.parse(input);
    if (alias in this.#stored.aliases) {
      throw new ServiceError('AlreadyExistsException', `An alias with the name ${this.#arn(alias)} already exists`);
    }
    this.#stored.aliases[alias] = this.#find(TargetKeyId).id;
    this.#save();
    return {};
  }

  /** As {@link Kms.walletKey}. */
  walletKey(alias: string): string {
    if (!(alias in this.#stored.aliases)) {
      const request = { KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY' };
      this.createAlias({ AliasName: alias, TargetKeyId: this.#arnOf(this.#create(createRequest.parse(request))) });
    }
    return this.#arnOf(this.#find(alias));
  }

  describe(input: unknown): object {
    return { KeyMetadata: this.#shown(this.#find(keyRequest.parse(input).KeyId)) };
  }

  setState(state: Key['state'], input: unknown): object {
    const key = this.#find(keyRequest.parse(input).KeyId);
    key.state = state;
    this.#save();
    return { KeyId: this.#arnOf(key) };
  }

  getPublicKey(input: unknown): object {
    const key = this.#findUsable(keyRequest.parse(input).KeyId);
    const { Arn, ...shown } = this.#shown(key);
    if (key.publicKey === null) {
      throw new ServiceError('UnsupportedOperationException', 'GetPublicKey is not valid for symmetric KMS keys');
    }
    return {
      KeyId: Arn,
      PublicKey: key.publicKey,
      CustomerMasterKeySpec: shown.KeySpec,
      KeySpec: shown.KeySpec,
      KeyUsage: shown.KeyUsage,
      SigningAlgorithms: ['ECDSA_SHA_256'],
    };
  }

  /** As KMS does it: the nonce is random, and s is as often above half the order as below. */
  sign(input: unknown): object {
    const { KeyId, Message, MessageType, SigningAlgorithm } = signRequest.parse(input);
    const key = this.#findUsable(KeyId);
    if (key.privateKey === null || SigningAlgorithm !== 'ECDSA_SHA_256') {
      const message = `Algorithm ${SigningAlgorithm} is incompatible with key spec ${key.spec}.`;
      throw new ServiceError('InvalidKeyUsageException', message);
    }
    const digest = MessageType === 'RAW' ? createHash('sha256').update(Message).digest() : Message;
    if (digest.length !== 32) {
      throw new ServiceError('ValidationException', 'Digest is invalid length for algorithm ECDSA_SHA_256.');
    }
    this.#count();
    const isHigh = randomInt(2) === 1;
    const signature = new KmsKey(key.privateKey).sign(digest, randomBytes(32), isHigh);
    return { KeyId: this.#arnOf(key), Signature: signature, SigningAlgorithm };
  }

  #count(): void {
    const second = Math.floor(Date.now() / 1_000);
    this.#signed = { second, count: this.#signed.second === second ? this.#signed.count + 1 : 1 };
    if (this.#signed.count <= this.#quota) return;
    throw new ServiceError(
      'ThrottlingException',
      'You have exceeded the rate at which you may call KMS. Reduce the frequency of your calls.',
    );
  }
}

/**
 * Starts a server that implements the part of AWS KMS that wallets need: keys for signing on secp256k1, their
 * aliases and states. Every request must be signed with the given credentials.
 * @see https://docs.aws.amazon.com/kms/latest/APIReference/API_Sign.html
 */
export async function startKms(options: KmsOptions): Promise<Kms> {
  const keys = new Keys(options);
  const server = await startAwsJsonService({
    name: 'KMS',
    api: 'TrentService',
    operations: {
      CreateKey: (input) => keys.create(input),
      CreateAlias: (input) => keys.createAlias(input),
      DescribeKey: (input) => keys.describe(input),
      EnableKey: (input) => keys.setState('Enabled', input),
      DisableKey: (input) => keys.setState('Disabled', input),
      ScheduleKeyDeletion: (input) => keys.setState('PendingDeletion', input),
      CancelKeyDeletion: (input) => keys.setState('Disabled', input),
      GetPublicKey: (input) => keys.getPublicKey(input),
      Sign: (input) => keys.sign(input),
    },
    invalidInput: 'ValidationException',
    credentials: options.credentials,
  });
  return { ...server, walletKey: (alias) => keys.walletKey(alias) };
}
