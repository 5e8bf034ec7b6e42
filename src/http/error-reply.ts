import { z } from 'zod';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { systemClock } from '../core/clock.ts';
import { instantField } from '../core/fields.ts';
import { SettingsError } from '../platform/env.ts';
import { redactionOf } from '../core/redaction.ts';
import { DomainError } from '../core/domain-error.ts';
import type { ConflictingState, DomainErrorCode, InputIssue } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';

const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  outdated: 412,
  'version-required': 428,
  'too-large': 413,
  unprocessable: 422,
  'rate-limited': 429,
  upstream: 502,
} as const satisfies Record<DomainErrorCode, ContentfulStatusCode>;

/** The most characters of an error's texts. Lists of issues are bounded far below this when they are built. */
const MAX_ERROR_LENGTH = 1_024 * 1_024;
/** How many characters of a message are shown if it is longer than that. */
const SHOWN_LENGTH = 1_000;

const issueSchema = z.object({
  path: z.string().meta({ description: 'Where in the input; for metadata like JSONPath', example: 'tokenId' }),
  message: z.string().meta({ description: 'What is wrong, in words', example: 'must fit into 256 bits' }),
  schemaVersion: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Metadata only: the schema that was applied', example: 'ticket_schema@1.0.0' }),
  type: z.string().nullable().optional().meta({ description: 'Metadata only: utility.type', example: 'Ticket' }),
});

/** Why one item of a batch is refused: the status and the message it would get on its own. */
export const refusalSchema = z
  .object({
    statusCode: z.int().meta({ description: 'HTTP status that it would get on its own', example: 409 }),
    message: z.string().meta({ description: 'Why, in words', example: 'The token is taken' }),
    errors: z.array(issueSchema).optional().meta({ description: 'Everything wrong with the item' }),
  })
  .meta({ id: 'Refusal' });

/** The form of every error (specification, Errors 1 and 2). */
export const errorSchema = z
  .object({
    statusCode: z.int().meta({ description: 'HTTP status', example: 400 }),
    message: z.string().meta({ description: 'What is wrong, in words', example: 'Validation failed' }),
    timestamp: instantField.meta({ description: 'When the reply was made, UTC' }),
    path: z.string().meta({ description: 'Path of the request', example: '/minting/order' }),
    errors: z.array(issueSchema).optional().meta({ description: 'Everything wrong with the input' }),
    currentStatus: z.string().nullable().optional().meta({
      description: 'Only where a change of metadata is refused for its state: its status',
      example: 'Used',
    }),
    version: z.int().optional().meta({
      description: 'Only where a change of metadata is refused for its state: its version',
      example: 3,
    }),
  })
  .meta({ id: 'Error' });

/**
 * The reply to a request that threw. The message of a {@link DomainError} or of the framework's `HTTPException` (malformed
 * JSON, for example) is shown. Invalid settings concern the operator alone: `servicesOf` has logged them, and the reply says
 * nothing of them. Anything else is logged in full and shown as "Internal server error".
 */
export function errorReply(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof SettingsError) return reply(c, 503, 'The service is not available');
  if (error instanceof DomainError && error.code === 'upstream') c.get('log').warn('request.upstream', { error });
  else if (error instanceof DomainError && error.cause !== undefined) c.get('log').info('request.refused', { error });
  if (error instanceof DomainError && error.retryAfterSeconds !== undefined) {
    c.header('Retry-After', String(error.retryAfterSeconds));
  }
  if (error instanceof DomainError) return reply(c, STATUS[error.code], error.message, error.issues, error.state);
  if (error instanceof HTTPException) return reply(c, error.status, error.message);
  c.get('log').error('request.failed', { error });
  return reply(c, 500, 'Internal server error');
}

/** The refusal of one item of a batch, for a reply that has others. */
export function refusal(c: Context<AppEnv>, { code, message, issues }: DomainError): z.output<typeof refusalSchema> {
  return { statusCode: STATUS[code], ...redacted(c, message, issues) };
}

/** The reply when no route matches. */
export function notFoundReply(c: Context<AppEnv>): Response {
  return reply(c, 404, `No route ${c.req.method} ${c.req.path}`);
}

function reply(
  c: Context<AppEnv>,
  statusCode: ContentfulStatusCode,
  message: string,
  errors?: readonly InputIssue[],
  state?: ConflictingState,
): Response {
  return c.json(
    {
      statusCode,
      timestamp: new Date(systemClock.now()).toISOString(),
      path: c.req.path,
      ...redacted(c, message, errors),
      ...state,
    },
    statusCode,
  );
}

/** Redacts an error's texts: they can quote a provider, whose message can contain our secrets. */
function redacted(c: Context<AppEnv>, message: string, errors: readonly InputIssue[] | undefined) {
  const redact = redactionOf(c.env);
  if (lengthOf(message, errors) > MAX_ERROR_LENGTH) return { message: redact(message).slice(0, SHOWN_LENGTH) };
  return {
    message: redact(message),
    ...(errors === undefined
      ? {}
      : { errors: errors.map((issue) => ({ ...issue, path: redact(issue.path), message: redact(issue.message) })) }),
  };
}

function lengthOf(message: string, errors: readonly InputIssue[] = []): number {
  return errors.reduce((sum, issue) => sum + issue.path.length + issue.message.length, message.length);
}
