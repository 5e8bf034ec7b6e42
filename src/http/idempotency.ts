import type { MiddlewareHandler } from 'hono';
import { sha256, stringToHex } from 'viem';
import { z } from 'zod';
import { claimKey, giveUpKey, keepAnswer } from '../platform/database/idempotency-keys.ts';
import { DomainError, invalidInput } from '../core/domain-error.ts';
import { newId, timePart } from '../core/ids.ts';
import { tenantServices } from './router.ts';
import type { AppEnv } from './router.ts';

/** The OpenAPI form of the header, for the definitions of the routes that take it. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'A request sent again with the same key within 24 hours gets the first answer' }),
});

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Longer than any request takes: who asks again while the first try runs is told so; a try that died blocks no longer. */
const LEASE_MS = 60_000;
/** The longest answer that is kept, in bytes: twice what the reply to the largest ordinary document comes to. */
const KEPT_BYTES = 2 * 1_024 * 1_024;

/**
 * Gives a POST that is sent again with the same Idempotency-Key the first answer, status and body.
 *
 * A try may die between what it created and the keeping of its answer. So the ids of what a keyed request creates follow
 * from the key: the next try finds what is there already instead of creating it a second time.
 */
export const idempotent: MiddlewareHandler<AppEnv> = async (c, next) => {
  const key = c.req.header('idempotency-key');
  if (key === undefined || c.req.method !== 'POST') return next();
  if (!KEY.test(key)) {
    throw invalidInput([
      { path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters, no spaces' },
    ]);
  }
  const { db, clock, account } = tenantServices(c);
  const now = new Date(clock.now());
  const claimId = newId(now.getTime());
  const requestHash = sha256(stringToHex(`${c.req.method} ${c.req.path}\n${await c.req.text()}`));
  const held = await claimKey(db, { key, claimId, requestHash, now, leaseMs: LEASE_MS });
  if (held.requestHash !== requestHash) {
    throw new DomainError('unprocessable', 'The Idempotency-Key was used with another request');
  }
  if (held.statusCode !== null) {
    return new Response(held.body, {
      status: held.statusCode,
      headers: { 'content-type': 'application/json', 'idempotent-replayed': 'true' },
    });
  }
  if (held.claimId !== claimId)
    throw new DomainError('conflict', 'The first request with this Idempotency-Key is still running');

  c.set('newId', idsOf(`${account.id}:${key}:${held.createdAt.toISOString()}`, held.createdAt.getTime()));
  await next();
  // What failed on our side is no answer: the next try does the work. So it does for an answer that is too long to be kept,
  // and finds what was created.
  const body = c.res.status < 500 ? await keptBody(c.res.clone()) : undefined;
  if (body === undefined) return giveUpKey(db, { key, claimId, now: new Date(clock.now()) });
  return keepAnswer(db, { key, claimId }, { statusCode: c.res.status, body });
};

/** The text of an answer; undefined where it is too long to be kept. */
async function keptBody(answer: Response): Promise<string | undefined> {
  const bytes = await answer.arrayBuffer();
  return bytes.byteLength > KEPT_BYTES ? undefined : new TextDecoder().decode(bytes);
}

/** The same ids in the same order for the same seed: the time of the first try, then bits that follow from the seed. */
function idsOf(seed: string, time: number): () => string {
  let count = 0;
  return () => {
    count += 1;
    return timePart(time) + sha256(stringToHex(`${seed}:${count}`)).slice(2, 14);
  };
}
