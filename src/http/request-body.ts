import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { DomainError, invalidInput, issuesOf } from '../core/domain-error.ts';
import type { AppEnv } from './app-env.ts';
import { type PacedReader, pacedBody, pacedReader } from './body-pace.ts';
import { z } from 'zod';

/**
 * Reads a body for the handlers that follow. Rejects one over `bytes` with 413, by its Content-Length if it has one,
 * one that breaks off with 400, and one that arrives too slowly with 408.
 */
export function limitBody(bytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw new DomainError('too_large', `The body exceeds the limit of ${Math.floor(bytes / 1_024)} KB`);
    },
  });
  return async (c, next) => {
    const { method, body } = c.req.raw;
    // The standard wants `duplex` for a body that is a stream; not every runtime does.
    const paced = body && { method, body: pacedBody(body), duplex: 'half' };
    if (paced !== null) c.req.raw = new Request(c.req.raw, paced);
    await fromCaller(limit(c, async () => void (await c.req.arrayBuffer())));
    await next();
  };
}

/**
 * Rejects a body that is not valid UTF-8 with 400. Decoding would silently replace invalid bytes with U+FFFD, so that
 * other text than the caller's would be stored and written on chain.
 */
export const requireUtf8: MiddlewareHandler = async (c, next) => {
  if (!isUtf8(await c.req.arrayBuffer())) throw new DomainError('malformed_body', 'The body is not valid UTF-8');
  return next();
};

function isUtf8(bytes: ArrayBuffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Hashes the body of a request that asks for a change, for the audit log. Its size is limited. */
export const hashBody: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.get('asked') !== undefined) setHash(c, await crypto.subtle.digest('SHA-256', await c.req.arrayBuffer()));
  await next();
};

/** Hashes a body while it is read. @returns the body; its hash is set once it has been read to its end. */
export function hashedBody(c: Context<AppEnv>, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const digests = new crypto.DigestStream('SHA-256');
  const writer = digests.getWriter();
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        await writer.write(bytes);
        controller.enqueue(bytes);
      },
      async flush() {
        await writer.close();
        setHash(c, await digests.digest);
      },
    }),
  );
}

function setHash(c: Context<AppEnv>, digest: ArrayBuffer): void {
  c.set('bodyHash', Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''));
}

/** The most bytes of a rejected body that are read and discarded: the platform's limit. */
const DISCARDED_BYTES = 100 * 1_024 * 1_024;

/**
 * Handles a body as it arrives. What is left of it when it is rejected is read and discarded.
 * @param handle Its bytes throw a {@link DomainError}: `invalid` when the caller hangs up; `too-large`; `too-slow`.
 */
export async function withBody<Result>(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  handle: (bytes: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<Result> {
  const reader = body === null ? undefined : pacedReader(body);
  try {
    return await handle(readBytes(reader, maxBytes));
  } catch (error) {
    if (reader !== undefined) await discard(reader);
    throw error;
  }
}

async function* readBytes(reader: PacedReader | undefined, maxBytes: number): AsyncGenerator<Uint8Array> {
  if (reader === undefined) return;
  let length = 0;
  for (;;) {
    const value = await fromCaller(reader.read());
    if (value === undefined) return;
    length += value.length;
    if (length > maxBytes)
      throw new DomainError('too_large', `The body exceeds the limit of ${maxBytes / 1_048_576} MB`);
    yield value;
  }
}

/**
 * Reads what is left of a body that is rejected: many clients do not read the reply until their whole request is
 * consumed.
 */
export async function discard(reader: PacedReader): Promise<void> {
  try {
    let length = 0;
    while (length < DISCARDED_BYTES) {
      const value = await reader.read();
      if (value === undefined) return;
      length += value.length;
    }
  } catch {
    // The client has disconnected, or sends too slowly.
  }
}

/**
 * Discards the body of a request that is answered without it, before the reply: as it arrives, or until it arrives too
 * slowly. Otherwise a caller who never ends it keeps the connection, or loses it in the middle.
 */
export const discardUnread: MiddlewareHandler = async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (body !== null && !bodyUsed) await discard(pacedReader(body));
};

const noFields = z.strictObject({});

/**
 * Refuses what a route without a body would ignore: a caller who sends a field expects it to have an effect. No body
 * and an empty object are fine.
 * @throws {DomainError} `malformed_body` if it is no JSON; `invalid` with every field.
 */
export async function refuseBody({ req }: Context): Promise<void> {
  const text = await req.text();
  if (text.trim() === '') return;
  const { error } = noFields.safeParse(parsed(text));
  if (error !== undefined) throw invalidInput(issuesOf(error));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DomainError('malformed_body', 'The body is not JSON; this request needs no body', undefined, {
      cause: error,
    });
  }
}

/**
 * Waits for a read of a request's body.
 * @throws {DomainError} `invalid` when the read fails: the caller has hung up. Also what the read throws as a
 *   DomainError.
 */
export async function fromCaller<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw new DomainError('malformed_body', 'The body is cut off', undefined, { cause: error });
  }
}
