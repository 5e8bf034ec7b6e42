import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpServer } from '../http-server.ts';
import { startObjectStore } from './object-store.ts';

const credentials = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/with+signs=' };
const region = 'eu-west-3';
const Bucket = 'assets';
const png = Buffer.from('89504e470d0a1a0a00ff', 'hex');

let directory: string;
let store: HttpServer;
let client: S3Client;

const start = () => startObjectStore({ directory, bucket: Bucket, credentials });
const clientWith = (changed: Partial<typeof credentials>) =>
  new S3Client({
    endpoint: store.url,
    region,
    forcePathStyle: true,
    credentials: { ...credentials, ...changed },
    maxAttempts: 1,
  });
const status = async (path: string, method: string) =>
  (await fetch(store.url + path, { method, ...(method === 'PUT' ? { body: 'x' } : {}) })).status;
const publicUrl = (key: string) => `${store.url}/${Bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'object-store-'));
  store = await start();
  client = clientWith({});
});

afterAll(async () => {
  client.destroy();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('with the official client', () => {
  it.each(['plain.png', 'a/b c/ümläut (1)+!.png', '한국어/그림.png'])(
    'an object is stored under %s and read back',
    async (Key) => {
      await client.send(
        new PutObjectCommand({ Bucket, Key, Body: png, ContentType: 'image/png', Metadata: { origin: 'test' } }),
      );
      const object = await client.send(new GetObjectCommand({ Bucket, Key }));
      expect(object).toMatchObject({
        ContentType: 'image/png',
        ContentLength: png.length,
        Metadata: { origin: 'test' },
      });
      expect(await object.Body?.transformToByteArray()).toEqual(new Uint8Array(png));
      const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
      expect(head.ETag).toBe(object.ETag);
    },
  );

  it('objects are listed and deleted', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'gone/x', Body: png }));
    const list = () => client.send(new ListObjectsV2Command({ Bucket, Prefix: 'gone/' }));
    expect((await list()).Contents?.map(({ Key }) => Key)).toEqual(['gone/x']);
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'gone/x' }));
    expect((await list()).Contents ?? []).toEqual([]);
  });

  it.each([
    ['a wrong secret key', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['an unknown access key', { accessKeyId: 'AKOTHER' }, 'InvalidAccessKeyId'],
  ])('%s is refused', async (_, changed, name) => {
    const wrong = clientWith(changed);
    await expect(wrong.send(new PutObjectCommand({ Bucket, Key: 'refused', Body: png }))).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: 403 },
    });
    wrong.destroy();
    expect((await fetch(publicUrl('refused'))).status).toBe(404);
  });
});

describe("with the Worker's client", () => {
  it('a body of unknown length is stored as it streams in', async () => {
    const aws = new AwsClient({ ...credentials, region, service: 's3', retries: 0 });
    const chunks = Array.from({ length: 64 }, (_, index) => Buffer.alloc(16_384, index));
    // Node's type of a stream differs from the one that the library was compiled with.
    const request: object = {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      body: ReadableStream.from(chunks),
      duplex: 'half',
    };
    const put = await aws.fetch(publicUrl('stream.bin'), request);
    expect(put.status).toBe(200);
    const stored = await fetch(publicUrl('stream.bin'));
    expect(Buffer.from(await stored.arrayBuffer()).equals(Buffer.concat(chunks))).toBe(true);
  });
});

describe('without credentials', () => {
  it('an object can be read, as from a public asset URL', async () => {
    await client.send(new PutObjectCommand({ Bucket, Key: 'public/a.png', Body: png, ContentType: 'image/png' }));
    const response = await fetch(publicUrl('public/a.png'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect((await fetch(publicUrl('public/a.png'), { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(publicUrl('public/none.png'))).status).toBe(404);
  });

  it('nothing can be written, deleted or listed', async () => {
    expect(await status(`/${Bucket}/public/a.png`, 'PUT')).toBe(403);
    expect(await status(`/${Bucket}/public/a.png`, 'DELETE')).toBe(403);
    expect(await status(`/${Bucket}`, 'GET')).toBe(403);
    expect(await status(`/${Bucket}/`, 'GET')).toBe(403);
    expect(await status(`/${Bucket}/public/a.png?acl`, 'GET')).toBe(403);
    expect(await status('/', 'GET')).toBe(403);
    expect(await status('/other', 'PUT')).toBe(403);
  });

  it('no path leads out of the bucket', async () => {
    expect((await fetch(`${store.url}/${Bucket}/%2e%2e%2f%2e%2e%2fetc%2fpasswd`)).status).toBe(400);
  });
});

it('objects survive a restart', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'kept', Body: png }));
  await store.stop();
  store = await start();
  client.destroy();
  client = clientWith({});
  expect((await fetch(publicUrl('kept'))).status).toBe(200);
});
