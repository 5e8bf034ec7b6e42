import { AwsClient } from 'aws4fetch';
import { DomainError } from '../core/domain-error.ts';
import { readText } from '../core/read-text.ts';
import type { Log } from '../core/log.ts';

/** What S3 asks of every part of a multipart upload but the last; so much of a file is in memory at once. */
const PART_BYTES = 5 * 1_024 * 1_024;
const TIMEOUT_MS = 30_000;
/** The most that is read of a reply, in bytes. */
const REPLY_BYTES = 64 * 1_024;
/** Objects never change: a key is used once. */
const CACHE_CONTROL = 'public, max-age=31536000, immutable';

export interface ObjectStoreSettings {
  readonly AWS_REGION: string;
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_BUCKET: string;
}

/** The address of a bucket by the S3 API. */
export function bucketUrl(settings: ObjectStoreSettings): string {
  const endpoint = settings.S3_ENDPOINT ?? `https://s3.${settings.AWS_REGION}.amazonaws.com`;
  return `${endpoint.replace(/\/+$/, '')}/${settings.S3_BUCKET}`;
}

/**
 * Stores a file while it arrives. One that fits into a part goes in one request; a longer one part by part, and it is there
 * for readers only when the last request has joined them: a file that breaks off leaves no object.
 * @returns how many bytes it has.
 * @throws {DomainError} `upstream` when the store refuses or does not answer; whatever reading `content` throws.
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
    for await (const part of partsOf(object.content)) {
      length += part.length;
      if (uploadId === undefined && part.length < PART_BYTES) {
        await store.request('PUT', {}, part, headers);
        return length;
      }
      uploadId ??= await store.beginUpload(headers);
      const reply = await store.request('PUT', { partNumber: String(tags.length + 1), uploadId }, part);
      tags.push(reply.headers.get('etag') ?? '');
    }
    if (uploadId !== undefined) await store.joinParts(uploadId, tags);
    return length;
  } catch (error) {
    if (uploadId !== undefined) await store.abandon(uploadId);
    throw error;
  }
}

/** Cuts content into pieces of {@link PART_BYTES}, the last one shorter, or the only one empty. Each piece is gone when the next is asked for. */
async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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

/** The S3 API's requests about one object. */
class ObjectRequests {
  readonly #url: string;
  readonly #aws: AwsClient;
  readonly #log: Log;

  constructor(settings: ObjectStoreSettings, key: string, log: Log) {
    this.#url = `${bucketUrl(settings)}/${key}`;
    this.#aws = new AwsClient({
      accessKeyId: settings.AWS_ACCESS_KEY_ID,
      secretAccessKey: settings.AWS_SECRET_ACCESS_KEY,
      region: settings.AWS_REGION,
      service: 's3',
      retries: 2,
    });
    this.#log = log;
  }

  /** @returns a successful reply. */
  async request(
    method: 'PUT' | 'POST' | 'DELETE',
    query: Readonly<Record<string, string>>,
    body?: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const url = new URL(this.#url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = this.#aws.fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    const reply = await sent.catch((error: unknown) => {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      throw this.#fault(timedOut ? 'did not answer in time' : 'cannot be reached');
    });
    if (reply.ok) return reply;
    await reply.body?.cancel();
    throw this.#fault(`answered ${reply.status}`);
  }

  async beginUpload(headers: Readonly<Record<string, string>>): Promise<string> {
    const reply = await this.request('POST', { uploads: '' }, undefined, headers);
    const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(await this.#textOf(reply)) ?? [];
    if (uploadId === undefined) throw this.#fault('began no upload');
    return uploadId;
  }

  async joinParts(uploadId: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const reply = await this.request('POST', { uploadId }, body, { 'content-type': 'application/xml' });
    // The store answers 200 before it knows: a failure is in the body.
    if ((await this.#textOf(reply)).includes('<Error>')) throw this.#fault('could not join the parts');
  }

  /** Gives the stored parts up. Where that fails too, the bucket's rule for incomplete uploads removes them. */
  async abandon(uploadId: string): Promise<void> {
    try {
      await this.request('DELETE', { uploadId });
    } catch {
      this.#log.warn('object_store.upload_left', { uploadId });
    }
  }

  async #textOf(reply: Response): Promise<string> {
    return await readText(reply, REPLY_BYTES).catch(() => {
      throw this.#fault('answered what cannot be read');
    });
  }

  #fault(what: string): DomainError {
    return new DomainError('upstream', `The object store ${what}`);
  }
}
