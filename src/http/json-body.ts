import type { MiddlewareHandler } from 'hono';
import type { z } from 'zod';
import { requireStillAllowed } from './authentication.ts';
import { hashBody, limitBody, requireUtf8 } from './request-body.ts';
import { idempotencyHeaders, idempotent, idempotentForOperator } from './idempotency.ts';
import type { AppEnv } from './app-env.ts';
import { limitAddress, type AddressLimit } from './rate-limit.ts';

/** Bodies are small unless a route says otherwise. */
const BODY_BYTES = 64 * 1_024;
/** Enough for two lists of a thousand addresses. */
const OPERATOR_BODY_BYTES = 128 * 1_024;

type Handlers = MiddlewareHandler<AppEnv>[];

/**
 * The part of a route's definition for its JSON body: the schema, and the checks before it is parsed.
 * @param before Middleware that runs before the body is read.
 * @param maxBytes The longest body accepted.
 */
export function jsonBody<Body extends z.ZodType>(schema: Body, before: Handlers = [], maxBytes = BODY_BYTES) {
  const middleware: Handlers = [...before, limitBody(maxBytes), requireUtf8, hashBody, requireStillAllowed];
  return { middleware, request: { body: bodyOf(schema) } };
}

/**
 * As {@link jsonBody}, for a route that takes an Idempotency-Key, because it creates something or makes a change that
 * cannot be repeated.
 * @param maxBytes The longest body accepted.
 * @param isHashed Whether the audit log has the body's hash. Not of a body with a secret so short that it would tell
 *   it.
 */
export function creatingBody<Body extends z.ZodType>(
  schema: Body,
  { maxBytes = BODY_BYTES, isHashed = true }: { readonly maxBytes?: number; readonly isHashed?: boolean } = {},
) {
  const hash = isHashed ? [hashBody] : [];
  const middleware: Handlers = [limitBody(maxBytes), requireUtf8, ...hash, requireStillAllowed, idempotent];
  return { middleware, request: { headers: idempotencyHeaders, body: bodyOf(schema) } };
}

/** As {@link creatingBody}, for a route without a body. @param params The parameters of its path. */
export function bodiless<Params extends z.ZodObject>(params: Params) {
  const middleware: Handlers = [limitBody(BODY_BYTES), hashBody, requireStillAllowed, idempotent];
  return { middleware, request: { params, headers: idempotencyHeaders } };
}

/** The middleware of a route that deletes something. */
export function deletion(): Handlers {
  return [limitBody(BODY_BYTES), hashBody, requireStillAllowed];
}

/** The part of an admin route's definition that changes something without a body; it takes an Idempotency-Key too. */
export function operatorAction() {
  const middleware: Handlers = [limitBody(BODY_BYTES), hashBody, idempotentForOperator];
  return { middleware, request: { headers: idempotencyHeaders } };
}

/** As {@link operatorAction}, with a body. */
export function operatorCreation<Body extends z.ZodType, Params extends z.ZodObject>(schema: Body, params: Params) {
  const middleware: Handlers = [limitBody(BODY_BYTES), requireUtf8, hashBody, idempotentForOperator];
  return { middleware, request: { params, headers: idempotencyHeaders, body: bodyOf(schema) } };
}

/** The middleware of an admin route that deletes something. */
export function operatorDeletion(): Handlers {
  return [limitBody(BODY_BYTES), hashBody];
}

/** The part of an admin route's definition for the body that replaces something. */
export function operatorBody<Body extends z.ZodType, Params extends z.ZodObject>(schema: Body, params: Params) {
  const middleware: Handlers = [limitBody(OPERATOR_BODY_BYTES), requireUtf8, hashBody];
  return { middleware, request: { params, body: bodyOf(schema) } };
}

/**
 * As {@link jsonBody}, for a route without a key.
 * @param params The parameters of its path.
 * @param subject What requests are counted as, valid or not.
 */
export function publicBody<Body extends z.ZodType, Params extends z.ZodObject>(
  schema: Body,
  params: Params,
  subject: AddressLimit,
) {
  const count: Handlers[number] = async (c, next) => {
    await limitAddress(c, subject);
    await next();
  };
  const middleware: Handlers = [count, limitBody(BODY_BYTES), requireUtf8];
  return { middleware, request: { params, body: bodyOf(schema) } };
}

function bodyOf<Body extends z.ZodType>(schema: Body) {
  return { required: true as const, content: { 'application/json': { schema } } };
}
