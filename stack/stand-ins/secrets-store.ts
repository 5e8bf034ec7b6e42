import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError, startAwsJsonService } from './aws-json-service.ts';
import type { AwsCredentials } from './aws-signature.ts';
import type { HttpServer } from '../http-server.ts';
import { readFileIfExists, writePrivateFile } from '../../cli/local-stack/private-file.ts';

export interface SecretsStoreOptions {
  /** Where the secrets are stored, with mode 0600. */
  readonly file: string;
  readonly region: string;
  readonly credentials: AwsCredentials;
  /** Default: any free port. */
  readonly port?: number;
}

const versionSchema = z.object({
  id: z.string(),
  secretString: z.string(),
  stages: z.array(z.string()),
  /** Seconds since 1970, the service's date format. */
  createdDate: z.number(),
});
const secretSchema = z.object({
  name: z.string(),
  arn: z.string(),
  description: z.string().optional(),
  createdDate: z.number(),
  versions: z.array(versionSchema),
});
type Secret = z.output<typeof secretSchema>;
type Version = z.output<typeof versionSchema>;

const secretString = z.string().min(1).max(65_536);
const secretId = z.string().min(1).max(2_048);
const token = z
  .string()
  .min(32)
  .max(64)
  .default(() => randomUUID());
const createRequest = z.object({
  Name: z
    .string()
    .min(1)
    .max(512)
    .regex(/^[A-Za-z0-9/_+=.@-]+$/),
  SecretString: secretString,
  ClientRequestToken: token,
  Description: z.string().max(2_048).optional(),
});
const putRequest = z.object({ SecretId: secretId, SecretString: secretString, ClientRequestToken: token });
const getRequest = z.object({
  SecretId: secretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const describeRequest = z.object({ SecretId: secretId });

/** The operations on the secrets, independent of HTTP. Inputs are unvalidated JSON. */
class Secrets {
  readonly #file: string;
  readonly #region: string;
  readonly #secrets: Secret[];

  constructor(file: string, region: string) {
    this.#file = file;
    this.#region = region;
    this.#secrets = z.array(secretSchema).parse(JSON.parse(readFileIfExists(file) ?? '[]'));
  }

  #find(id: string): Secret {
    const secret = this.#secrets.find(({ name, arn }) => name === id || arn === id);
    if (!secret) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
    }
    return secret;
  }

  #addVersion(secret: Secret, id: string, value: string): Version {
    const existing = secret.versions.find((version) => version.id === id);
    // A retry of the same call.
    if (existing?.secretString === value) return existing;
    if (existing) {
      throw new ServiceError('ResourceExistsException', 'A version with this ClientRequestToken already exists.');
    }
    for (const version of secret.versions) {
      version.stages = version.stages.includes('AWSCURRENT') ? ['AWSPREVIOUS'] : [];
    }
    const added = { id, secretString: value, stages: ['AWSCURRENT'], createdDate: Date.now() / 1_000 };
    secret.versions.push(added);
    writePrivateFile(this.#file, JSON.stringify(this.#secrets));
    return added;
  }

  create(input: unknown): object {
    const request = createRequest.parse(input);
    let secret = this.#secrets.find(({ name }) => name === request.Name);
    if (secret && secret.versions[0]?.id !== request.ClientRequestToken) {
      throw new ServiceError(
        'ResourceExistsException',
        `The operation failed because the secret ${request.Name} already exists.`,
      );
    }
    if (!secret) {
      secret = {
        name: request.Name,
        arn: `arn:aws:secretsmanager:${this.#region}:000000000000:secret:${request.Name}-${randomUUID().slice(0, 6)}`,
        createdDate: Date.now() / 1_000,
        versions: [],
        ...(request.Description === undefined ? {} : { description: request.Description }),
      };
      this.#secrets.push(secret);
    }
    const version = this.#addVersion(secret, request.ClientRequestToken, request.SecretString);
    return { ARN: secret.arn, Name: secret.name, VersionId: version.id };
  }

  put(input: unknown): object {
    const request = putRequest.parse(input);
    const secret = this.#find(request.SecretId);
    const version = this.#addVersion(secret, request.ClientRequestToken, request.SecretString);
    return { ARN: secret.arn, Name: secret.name, VersionId: version.id, VersionStages: version.stages };
  }

  get(input: unknown): object {
    const request = getRequest.parse(input);
    const secret = this.#find(request.SecretId);
    const stage = request.VersionStage ?? (request.VersionId === undefined ? 'AWSCURRENT' : undefined);
    const version = secret.versions.find(
      ({ id, stages }) =>
        (request.VersionId === undefined || id === request.VersionId) &&
        (stage === undefined || stages.includes(stage)),
    );
    if (!version) {
      throw new ServiceError('ResourceNotFoundException', "Secrets Manager can't find the specified secret value.");
    }
    return {
      ARN: secret.arn,
      Name: secret.name,
      VersionId: version.id,
      SecretString: version.secretString,
      VersionStages: version.stages,
      CreatedDate: version.createdDate,
    };
  }

  describe(input: unknown): object {
    const secret = this.#find(describeRequest.parse(input).SecretId);
    return {
      ARN: secret.arn,
      Name: secret.name,
      Description: secret.description,
      CreatedDate: secret.createdDate,
      LastChangedDate: secret.versions.at(-1)?.createdDate,
      VersionIdsToStages: Object.fromEntries(
        secret.versions.filter(({ stages }) => stages.length > 0).map(({ id, stages }) => [id, stages]),
      ),
    };
  }
}

/**
 * Starts a secrets store that implements the part of AWS Secrets Manager that wallet keys need: CreateSecret,
 * PutSecretValue, GetSecretValue and DescribeSecret for text secrets. Every request must be signed with the given
 * credentials.
 */
export function startSecretsStore(options: SecretsStoreOptions): Promise<HttpServer> {
  const secrets = new Secrets(options.file, options.region);
  return startAwsJsonService({
    name: 'Secrets store',
    api: 'secretsmanager',
    operations: {
      CreateSecret: (input) => secrets.create(input),
      PutSecretValue: (input) => secrets.put(input),
      GetSecretValue: (input) => secrets.get(input),
      DescribeSecret: (input) => secrets.describe(input),
    },
    invalidInput: 'InvalidParameterException',
    credentials: options.credentials,
    port: options.port,
  });
}
