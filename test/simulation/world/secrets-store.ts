import type { Host, WireReply, WireRequest } from './network.ts';

const TARGET = 'secretsmanager.GetSecretValue';

/** AWS Secrets Manager, as far as the product uses it: one operation, two errors. */
export class SecretsStore implements Host {
  readonly service = 'secrets';
  readonly #secrets = new Map<string, string>();

  put(id: string, value: string): void {
    this.#secrets.set(id, value);
  }

  get(id: string): string | undefined {
    return this.#secrets.get(id);
  }

  label({ body }: WireRequest): string {
    return body;
  }

  answer({ headers, body }: WireRequest): WireReply {
    if (headers['x-amz-target'] !== TARGET || !(headers['authorization'] ?? '').startsWith('AWS4-HMAC-SHA256 ')) {
      return failed('UnrecognizedClientException');
    }
    const { SecretId: id } = JSON.parse(body) as { SecretId: string };
    const secret = this.#secrets.get(id);
    return secret === undefined
      ? failed('ResourceNotFoundException')
      : { status: 200, body: JSON.stringify({ Name: id, SecretString: secret, VersionStages: ['AWSCURRENT'] }) };
  }
}

function failed(type: string): WireReply {
  return { status: 400, body: JSON.stringify({ __type: type, Message: type }) };
}
