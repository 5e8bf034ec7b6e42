import type { WebhookEvent } from './api.ts';
import { ClientError } from './errors.ts';

/** The message is not one that the service has sent just now: reply 400, and do nothing with it. */
export class WebhookVerificationError extends ClientError {
  override readonly name = 'WebhookVerificationError';
}

export interface VerifyOptions {
  /** How far the time of the message may be from now, in seconds, to both sides; default 300. */
  readonly toleranceSeconds?: number;
}

/** The headers of a request: of `fetch`, or of Node.js. */
export type RequestHeaders = Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
/** While two secrets sign, a message has two signatures. */
const MAX_SIGNATURES = 16;

/**
 * Verifies a delivery as docs/webhooks.md describes it (Standard Webhooks).
 * @param body The body as it arrived, not parsed and written again.
 * @param secrets The secret of the endpoint, `whsec_...`, or each of several.
 * @returns the event, with its `id`, by which you recognize one that you have seen; other types than those of this
 *   version are possible.
 * @throws {WebhookVerificationError} if it is not genuine, or too old.
 * @throws {TypeError} if the body is parsed already, or a secret is malformed; it does not show the secret.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: RequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent & { readonly id: string }> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('The body must be a text or bytes, as it arrived');
  }
  const keys = [secrets].flat().map(keyBytes);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError('A header of Standard Webhooks is missing');
  const age = Date.now() / 1_000 - Number(timestamp);
  if (!(Math.abs(age) <= toleranceSeconds)) {
    throw new WebhookVerificationError('Its time is too far from now');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const given = signatures
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .flatMap((signature) => (signature.startsWith('v1,') ? [signature.slice(3)] : []));
  const expected = await Promise.all(keys.map((key) => sign(key, signed)));
  const isGenuine = expected.flatMap((one) => given.map((other) => isSame(one, other))).includes(true);
  if (!isGenuine) throw new WebhookVerificationError('No signature is of this secret and this body');
  return { ...eventOf(new TextDecoder().decode(bytes)), id };
}

function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const wanted = `webhook-${name}`;
  if (typeof headers.get === 'function') return headers.get(wanted) ?? undefined;
  const value = Object.entries(headers).find(([header]) => header.toLowerCase() === wanted)?.[1];
  return typeof value === 'string' ? value : undefined;
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const text = atob(secret.replace(/^whsec_/, ''));
    if (text !== '') return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    // The same error as without a secret.
  }
  throw new TypeError('The secret must be whsec_ and base64');
}

/** @returns the HMAC-SHA256 in base64. */
async function sign(key: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign(algorithm, imported, signed);
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** In a time that tells nothing about where they differ. */
function isSame(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function eventOf(text: string): WebhookEvent {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- signed by the service
    return JSON.parse(text) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('The body is not JSON');
  }
}
