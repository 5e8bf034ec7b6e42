import type { Context, MiddlewareHandler } from 'hono';
import type { AppEnv } from './app-env.ts';

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
