import { AwsClient } from 'aws4fetch';
import { DomainError } from '../core/domain-error.ts';
import { readText } from '../core/send-request.ts';
import type { Log } from '../core/log.ts';

/** The minimum size of an S3 part except the last, and the most of a file that is in memory at once. */
const PART_BYTES = 5 * 1_024 * 1_024;
const TIMEOUT_MS = 30_000;
/** The longest reply that is read, in bytes. */
const REPLY_BYTES = 64 * 1_024;
/** Objects are immutable: a key is used once. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

export interface ObjectStoreSettings {
  readonly AWS_REGION: string;
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_BUCKET: string;
}

/** URL of a bucket in the S3 API. */
export function bucketUrl(settings: ObjectStoreSettings): string {
  const endpoint = settings.S3_ENDPOINT ?? `https://s3.${settings.AWS_REGION}.amazonaws.com`;
  return `${endpoint.replace(/\/+$/, '')}/${settings.S3_BUCKET}`;
}

/**
 * Streams a file into the object store: a small file in one request, a larger one as a multipart upload. The object
 * appears only when the upload is complete, so a file that breaks off leaves no object.
 * @returns the file's size in bytes.
 * @throws {DomainError} `upstream` when the store fails or does not answer; also whatever reading `content` throws.
 */
export async function storeObject(
  settings: ObjectStoreSettings,
  object: { readonly key: string; readonly mediaType: string; readonly content: AsyncIterable<Uint8Array> },
  log: Log,
): Promise<number> {
  const store = new ObjectRequests(settings, object.key, log);
  const headers = { 'content-type': object.mediaType, 'cache-control': CACHE_CONTROL };
  let length = 0;
  let uploadId: string | undefined;
  const tags: string[] = [];
  try {
    for await (const part of splitParts(object.content)) {
      length += part.length;
      if (uploadId === undefined && part.length < PART_BYTES) {
        await store.request('PUT', {}, part, headers);
        return length;
      }
      uploadId ??= await store.createUpload(headers);
      const reply = await store.request('PUT', { partNumber: String(tags.length + 1), uploadId }, part);
      tags.push(reply.headers.get('etag') ?? '');
    }
    if (uploadId !== undefined) await store.completeUpload(uploadId, tags);
    return length;
  } catch (error) {
    if (uploadId !== undefined) await store.abortUpload(uploadId);
    throw error;
  }
}

/** Whether the object store has an object of this size. */
export async function hasObject(settings: ObjectStoreSettings, key: string, bytes: number): Promise<boolean> {
  const reply = await send(settings, 'HEAD', key, TIMEOUT_MS);
  return reply.ok && reply.headers.get('content-length') === String(bytes);
}

/**
 * Reads an object, whatever URL it is public at.
 * @param timeoutMs How long all of it may take, in milliseconds.
 * @throws {DomainError} `upstream` when the store does not have it; whatever `fetch` throws.
 */
export async function readObject(
  settings: ObjectStoreSettings,
  key: string,
  timeoutMs: number,
): Promise<AsyncIterable<Uint8Array>> {
  const reply = await send(settings, 'GET', key, timeoutMs);
  if (reply.ok && reply.body !== null) return reply.body;
  await reply.body?.cancel();
  throw new DomainError('upstream', `The object store answered ${reply.status} for ${key}`);
}

/** Without redirects, as in sendRequest, which this client does not use. */
function send(settings: ObjectStoreSettings, method: string, key: string, timeoutMs: number): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs);
  return awsClient(settings).fetch(`${bucketUrl(settings)}/${key}`, { method, signal, redirect: 'manual' });
}

function awsClient(settings: ObjectStoreSettings): AwsClient {
  return new AwsClient({
    accessKeyId: settings.AWS_ACCESS_KEY_ID,
    secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
    region: settings.AWS_REGION,
    service: 's3',
    retries: 2,
  });
}

/**
 * Splits content into parts of {@link PART_BYTES}, the last one shorter; empty content is one empty part. The buffer is
 * reused: a part is valid until the next one.
 */
async function* splitParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES);
  let filled = 0;
  let count = 0;
  for await (const bytes of content) {
    for (let from = 0; from < bytes.length;) {
      const piece = bytes.subarray(from, from + PART_BYTES - filled);
      part.set(piece, filled);
      filled += piece.length;
      from += piece.length;
      if (filled === PART_BYTES) {
        yield part;
        count += 1;
        filled = 0;
      }
    }
  }
  if (filled > 0 || count === 0) yield part.subarray(0, filled);
}

/** Requests to the S3 API for one object. */
class ObjectRequests {
  readonly #url: string;
  readonly #aws: AwsClient;
  readonly #log: Log;

  constructor(settings: ObjectStoreSettings, key: string, log: Log) {
    this.#url = `${bucketUrl(settings)}/${key}`;
    this.#aws = awsClient(settings);
    this.#log = log;
  }

  /** @returns a successful response. @throws {DomainError} `upstream` */
  async request(
    method: 'PUT' | 'POST' | 'DELETE',
    query: Readonly<Record<string, string>>,
    body?: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const url = new URL(this.#url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // Without redirects, as in sendRequest, which this client does not use.
    const init = { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body }) } as const;
    const sent = this.#aws.fetch(url, init);
    const reply = await sent.catch((error: unknown) => {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      throw this.#upstreamError(timedOut ? 'did not answer in time' : 'cannot be reached');
    });
    if (reply.ok) return reply;
    await reply.body?.cancel();
    throw this.#upstreamError(`answered ${reply.status}`);
  }

  async createUpload(headers: Readonly<Record<string, string>>): Promise<string> {
    const reply = await this.request('POST', { uploads: '' }, undefined, headers);
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await this.#readText(reply)) ?? [];
    if (uploadId === undefined) throw this.#upstreamError('returned no upload id');
    return uploadId;
  }

  async completeUpload(uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const reply = await this.request('POST', { uploadId }, body, { 'content-type': 'application/xml' });
    // S3 answers 200 before the upload is complete; a failure is reported in the body.
    if ((await this.#readText(reply)).includes('<Error>')) throw this.#upstreamError('could not complete the upload');
  }

  /** Discards the stored parts. If that fails too, the bucket's lifecycle rule for incomplete uploads removes them. */
  async abortUpload(uploadId: string): Promise<void> {
    try {
      await this.request('DELETE', { uploadId });
    } catch {
      this.#log.warn('object_store.abort_failed', { uploadId });
    }
  }

  async #readText(reply: Response): Promise<string> {
    return await readText(reply, REPLY_BYTES).catch(() => {
      throw this.#upstreamError('sent a reply that cannot be read');
    });
  }

  #upstreamError(what: string): DomainError {
    return new DomainError('upstream', `The object store ${what}`);
  }
}
