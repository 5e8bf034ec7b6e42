import type { MiddlewareHandler } from 'hono';
import { sha256, stringToHex } from 'viem';
import { z } from 'zod';
import { claimKey, releaseKey, storeResponse } from '../platform/database/idempotency-keys.ts';
import { DomainError, invalidInput } from '../core/domain-error.ts';
import { newId, timePart } from '../core/ids.ts';
import { tenantServices } from './router.ts';
import type { AppEnv } from './router.ts';

/** The Idempotency-Key header, for route definitions. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'A retry with the same key within 24 hours gets the first response' }),
});

const KEY = /^[\x21-\x7e]{1,255}$/;
/** Longer than any request takes. A retry during the first attempt gets 409; a crashed attempt stops blocking after this. */
const LEASE_MS = 60_000;
/** The longest response that is stored, in bytes: twice the reply to the largest ordinary document. */
const MAX_STORED_BYTES = 2 * 1_024 * 1_024;

/**
 * Makes a POST with an Idempotency-Key safe to retry: a retry gets the status and body of the first response.
 *
 * An attempt can crash after it has created something and before its response is stored. Therefore the ids of what such a
 * request creates are derived from the key: a retry finds the existing records instead of creating them again.
 */
export const idempotent: MiddlewareHandler<AppEnv> = async (c, next) => {
  const key = c.req.header('idempotency-key');
  if (key === undefined || c.req.method !== 'POST') return next();
  if (!KEY.test(key)) {
    throw invalidInput([
      { path: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters without spaces' },
    ]);
  }
  const { db, clock, account, encryption } = tenantServices(c);
  const now = new Date(clock.now());
  const claimId = newId(now.getTime());
  const requestHash = sha256(stringToHex(`${c.req.method} ${c.req.path}\n${await c.req.text()}`));
  const row = await claimKey(db, { key, claimId, requestHash, now, leaseMs: LEASE_MS });
  if (row.requestHash !== requestHash) {
    throw new DomainError('unprocessable', 'The Idempotency-Key was used with a different request');
  }
  const context = `idempotency key ${account.id} ${key}`;
  if (row.statusCode !== null) {
    const stored = row.isEncrypted && row.body !== null ? await encryption.decrypt(row.body, context) : row.body;
    return new Response(stored, {
      status: row.statusCode,
      headers: { 'content-type': 'application/json', 'idempotent-replayed': 'true' },
    });
  }
  if (row.claimId !== claimId) {
    throw new DomainError('conflict', 'The first request with this Idempotency-Key is still running');
  }

  c.set('newId', idsOf(`${account.id}:${key}:${row.createdAt.toISOString()}`, row.createdAt.getTime()));
  await next();
  // A server error is not stored, so that a retry runs the request again. Neither is a response that is too long to be stored:
  // the retry then finds what was created.
  const body = c.res.status < 500 ? await storableBody(c.res.clone()) : undefined;
  if (body === undefined) return releaseKey(db, { key, claimId, now: new Date(clock.now()) });
  const isEncrypted = c.get('hasSecretReply') === true;
  const stored = isEncrypted ? await encryption.encrypt(body, context) : body;
  return storeResponse(db, { key, claimId }, { statusCode: c.res.status, body: stored, isEncrypted });
};

/** The text of a response; undefined if it is too long to be stored. */
async function storableBody(response: Response): Promise<string | undefined> {
  const bytes = await response.arrayBuffer();
  return bytes.byteLength > MAX_STORED_BYTES ? undefined : new TextDecoder().decode(bytes);
}

/** Deterministic ids: the time of the first attempt, then bits derived from the seed and a counter. */
function idsOf(seed: string, time: number): () => string {
  let count = 0;
  return () => {
    count += 1;
    return timePart(time) + sha256(stringToHex(`${seed}:${count}`)).slice(2, 14);
  };
}
