import { z } from 'zod';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { systemClock } from '../core/clock.ts';
import { SettingsError } from '../platform/env.ts';
import { redactionOf } from '../core/redaction.ts';
import { DomainError } from '../core/domain-error.ts';
import type { DomainErrorCode, InputFault } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  conflict: 409,
  'too-large': 413,
  unprocessable: 422,
  'too-many': 429,
  upstream: 502,
} as const satisfies Record<DomainErrorCode, ContentfulStatusCode>;

/** The most characters of an error's own texts: what builds a list of faults keeps it far below. */
const MAX_ERROR_LENGTH = 1_024 * 1_024;
/** How much is told of a message that is longer than that. */
const SHOWN_LENGTH = 1_000;

const faultSchema = z.object({
  path: z.string(),
  message: z.string(),
  schemaVersion: z.string().nullable().optional(),
  type: z.string().nullable().optional(),
});

/** Why one item of several is refused: the status and the words that it would be refused with alone. */
export const refusalSchema = z
  .object({ statusCode: z.int(), message: z.string(), errors: z.array(faultSchema).optional() })
  .meta({ id: 'Refusal' });

/** The one form of every error (specification, Errors 1 and 2). */
export const errorSchema = z
  .object({
    statusCode: z.int().meta({ example: 400 }),
    message: z.string().meta({ example: 'Validation failed' }),
    timestamp: z.iso.datetime(),
    path: z.string().meta({ example: '/minting/order' }),
    errors: z.array(faultSchema).optional().meta({ description: 'Every fault of the input' }),
  })
  .meta({ id: 'Error' });

/**
 * The reply to whatever a request ended with. A {@link DomainError} says what is wrong; so does the framework's own
 * exception (malformed JSON, say). Faulty settings are the operator's business: the log names them and the reply does not.
 * Anything else is logged whole and shown as nothing.
 */
export function errorReply(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof SettingsError) return reply(c, 503, 'The service is not available');
  if (error instanceof DomainError && error.code === 'upstream') c.get('log').warn('request.upstream', { error });
  if (error instanceof DomainError) return reply(c, STATUS[error.code], error.message, error.faults);
  if (error instanceof HTTPException) return reply(c, error.status, error.message);
  c.get('log').error('request.failed', { error });
  return reply(c, 500, 'Internal server error');
}

/** What a refusal says, where it is one item of a reply and not the reply. */
export function refusal(c: Context<AppEnv>, { code, message, faults }: DomainError): z.output<typeof refusalSchema> {
  return { statusCode: STATUS[code], ...told(c, message, faults) };
}

/** The reply where no route matches. */
export function notFoundReply(c: Context<AppEnv>): Response {
  return reply(c, 404, `No route ${c.req.method} ${c.req.path}`);
}

function reply(
  c: Context<AppEnv>,
  statusCode: ContentfulStatusCode,
  message: string,
  errors?: readonly InputFault[],
): Response {
  return c.json(
    {
      statusCode,
      timestamp: new Date(systemClock.now()).toISOString(),
      path: c.req.path,
      ...told(c, message, errors),
    },
    statusCode,
  );
}

/** What a caller is told of an error: a provider's words can be in it, and our own secrets in those. */
function told(c: Context<AppEnv>, message: string, errors: readonly InputFault[] | undefined) {
  const redact = redactionOf(c.env);
  if (lengthOf(message, errors) > MAX_ERROR_LENGTH) return { message: redact(message.slice(0, SHOWN_LENGTH)) };
  return {
    message: redact(message),
    ...(errors === undefined ? {} : { errors: errors.map((fault) => ({ ...fault, message: redact(fault.message) })) }),
  };
}

function lengthOf(message: string, errors: readonly InputFault[] = []): number {
  return errors.reduce((sum, fault) => sum + fault.path.length + fault.message.length, message.length);
}
