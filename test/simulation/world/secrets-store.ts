import type { Hex } from 'viem';
import { KmsKey } from '../../../stack/kms-key.ts';
import type { Host, WireReply, WireRequest } from './network.ts';
import type { Random } from './random.ts';

/** How often KMS says that it has too many requests. */
const THROTTLED = 0.03;

/** AWS Secrets Manager and AWS KMS, as far as the product uses them: three operations, their errors. */
export class SecretsStore implements Host {
  readonly service = 'secrets';
  readonly #random: Random;
  readonly #secrets = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random.fork('keys');
  }

  /** @param id Of a secret, or the ARN of a KMS key. @param value A KMS key is disabled unless this has a private key. */
  put(id: string, value: string): void {
    this.#secrets.set(id, value);
  }

  label({ headers, body }: WireRequest): string {
    return `${headers['x-amz-target']} ${body}`;
  }

  answer({ headers, body }: WireRequest): WireReply {
    if (!(headers['authorization'] ?? '').startsWith('AWS4-HMAC-SHA256 ')) {
      return failed('UnrecognizedClientException');
    }
    const { SecretId, KeyId, Message } = JSON.parse(body) as { SecretId: string; KeyId: string; Message: string };
    const target = headers['x-amz-target'] ?? '';
    switch (target) {
      case 'secretsmanager.GetSecretValue':
        return this.#secret(SecretId);
      case 'TrentService.GetPublicKey':
        return this.#useKey(KeyId, (key) => ({ PublicKey: key.publicKey }));
      case 'TrentService.Sign':
        return this.#useKey(KeyId, (key) => ({
          Signature: key.sign(
            Buffer.from(Message, 'base64'),
            Buffer.from(this.#random.hex(32).slice(2), 'hex'),
            this.#random.chance(0.5),
          ),
        }));
      default:
        return failed('UnknownOperationException');
    }
  }

  #secret(id: string): WireReply {
    const secret = this.#secrets.get(id);
    return secret === undefined
      ? failed('ResourceNotFoundException')
      : { status: 200, body: JSON.stringify({ Name: id, SecretString: secret, VersionStages: ['AWSCURRENT'] }) };
  }

  #useKey(arn: string, use: (key: KmsKey) => object): WireReply {
    const value = this.#secrets.get(arn);
    if (value === undefined) return failed('NotFoundException');
    if (this.#random.chance(THROTTLED)) return failed('ThrottlingException');
    if (!value.startsWith('{')) return this.#keyOf(value as Hex, arn, use);
    const { privateKey } = JSON.parse(value) as { privateKey?: Hex };
    return privateKey === undefined ? failed('DisabledException') : this.#keyOf(privateKey, arn, use);
  }

  #keyOf(privateKey: Hex, arn: string, use: (key: KmsKey) => object): WireReply {
    return { status: 200, body: JSON.stringify({ KeyId: arn, ...use(new KmsKey(privateKey)) }) };
  }
}

function failed(type: string): WireReply {
  return { status: 400, body: JSON.stringify({ __type: type, Message: type }) };
}
