import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { AwsClient } from 'aws4fetch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HttpServer } from '../http-server.ts';
import { startSecretsStore } from './secrets-store.ts';

const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/with+signs=' };
const region = 'eu-west-3';
const name = '/dapp/dev/corp/acme/wallet';

let directory: string;
let store: HttpServer;
let client: SecretsManagerClient;

const start = () => startSecretsStore({ file: join(directory, 'secrets.json'), region, credentials });
const clientWith = (changed: Partial<typeof credentials>) =>
  new SecretsManagerClient({
    endpoint: store.url,
    region,
    credentials: { ...credentials, ...changed },
    maxAttempts: 1,
  });

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'secrets-store-'));
  store = await start();
  client = clientWith({});
});

afterEach(async () => {
  client.destroy();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('with the official client', () => {
  it('a created secret can be read by its name and by its ARN', async () => {
    const created = await client.send(new CreateSecretCommand({ Name: name, SecretString: '{"privateKey":"0x01"}' }));
    expect(created).toMatchObject({ Name: name, ARN: expect.stringContaining(`:${region}:`) });
    const byName = await client.send(new GetSecretValueCommand({ SecretId: name }));
    expect(byName).toMatchObject({
      Name: name,
      ARN: created.ARN,
      VersionId: created.VersionId,
      SecretString: '{"privateKey":"0x01"}',
      VersionStages: ['AWSCURRENT'],
      CreatedDate: expect.any(Date),
    });
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: created.ARN }));
    expect(byArn.SecretString).toBe(byName.SecretString);
  });

  it('a new value replaces the current one, and the previous one remains readable', async () => {
    const first = await client.send(new CreateSecretCommand({ Name: name, SecretString: 'one' }));
    const second = await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: 'two' }));
    expect(second.VersionId).not.toBe(first.VersionId);
    const value = async (query: { VersionStage?: string; VersionId?: string | undefined }) =>
      (await client.send(new GetSecretValueCommand({ SecretId: name, ...query }))).SecretString;
    expect(await value({})).toBe('two');
    expect(await value({ VersionStage: 'AWSPREVIOUS' })).toBe('one');
    expect(await value({ VersionId: first.VersionId })).toBe('one');
    const description = await client.send(new DescribeSecretCommand({ SecretId: name }));
    expect(description.VersionIdsToStages).toEqual({
      [String(first.VersionId)]: ['AWSPREVIOUS'],
      [String(second.VersionId)]: ['AWSCURRENT'],
    });
  });

  it('an existing secret is not created again, except by a retry of the same call', async () => {
    const call = { Name: name, SecretString: 'one', ClientRequestToken: 'a'.repeat(32) };
    const created = await client.send(new CreateSecretCommand(call));
    expect(await client.send(new CreateSecretCommand(call))).toMatchObject({ VersionId: created.VersionId });
    const again = client.send(new CreateSecretCommand({ Name: name, SecretString: 'two' }));
    await expect(again).rejects.toMatchObject({ name: 'ResourceExistsException', $metadata: { httpStatusCode: 400 } });
    expect((await client.send(new GetSecretValueCommand({ SecretId: name }))).SecretString).toBe('one');
  });

  it.each([
    ['value', () => new GetSecretValueCommand({ SecretId: 'missing' })],
    ['description', () => new DescribeSecretCommand({ SecretId: 'missing' })],
  ])('the %s of a secret that does not exist is a ResourceNotFoundException', async (_, command) => {
    await expect(client.send(command())).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: "Secrets Manager can't find the specified secret.",
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('a wrong secret key is an InvalidSignatureException', async () => {
    const wrong = clientWith({ secretAccessKey: 'wrong' });
    await expect(wrong.send(new GetSecretValueCommand({ SecretId: name }))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      $metadata: { httpStatusCode: 400 },
    });
    wrong.destroy();
  });

  it('an unknown access key is an UnrecognizedClientException', async () => {
    const wrong = clientWith({ accessKeyId: 'AKOTHER' });
    await expect(wrong.send(new GetSecretValueCommand({ SecretId: name }))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
    wrong.destroy();
  });

  it('an unsupported operation is an UnknownOperationException', async () => {
    await expect(client.send(new ListSecretsCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' });
  });

  it('an invalid parameter is an InvalidParameterException', async () => {
    const empty = client.send(new CreateSecretCommand({ Name: 'has space', SecretString: 'x' }));
    await expect(empty).rejects.toMatchObject({ name: 'InvalidParameterException' });
  });
});

describe('signatures', () => {
  it("of the Worker's client are accepted", async () => {
    await client.send(new CreateSecretCommand({ Name: name, SecretString: 'one' }));
    const aws = new AwsClient({ ...credentials, region, service: 'secretsmanager', retries: 0 });
    const response = await aws.fetch(store.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
      body: JSON.stringify({ SecretId: name }),
    });
    expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.1');
    expect(await response.json()).toMatchObject({ SecretString: 'one' });
  });

  it.each([
    ['another body', { body: '{"SecretId":"other"}' }, 'InvalidSignature'],
    ['another operation', { target: 'PutSecretValue' }, 'InvalidSignature'],
    ['a request without one', { authorization: '' }, 'MissingAuthenticationToken'],
  ])('do not cover %s', async (_, changed, type) => {
    const aws = new AwsClient({ ...credentials, region, service: 'secretsmanager' });
    const body = `{"SecretId":"${name}"}`;
    const target = 'secretsmanager.GetSecretValue';
    const signed = await aws.sign(store.url, { method: 'POST', headers: { 'x-amz-target': target }, body });
    const headers = new Headers(signed.headers);
    if ('target' in changed) headers.set('x-amz-target', `secretsmanager.${changed.target}`);
    if ('authorization' in changed) headers.delete('authorization');
    const response = await fetch(store.url, { method: 'POST', headers, body: 'body' in changed ? changed.body : body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: `${type}Exception` });
  });

  it('expire', async () => {
    const aws = new AwsClient({ ...credentials, region, service: 'secretsmanager' });
    const signed = await aws.sign(store.url, {
      method: 'POST',
      headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
      body: '{}',
      aws: { datetime: '20200101T000000Z' },
    });
    expect(await (await fetch(signed)).json()).toMatchObject({ __type: 'InvalidSignatureException' });
  });
});

it('secrets survive a restart, in a file that only its owner can read', async () => {
  await client.send(new CreateSecretCommand({ Name: name, SecretString: 'one' }));
  await store.stop();
  const file = join(directory, 'secrets.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain('one');
  store = await start();
  client.destroy();
  client = clientWith({});
  expect((await client.send(new GetSecretValueCommand({ SecretId: name }))).SecretString).toBe('one');
});
