import { z } from 'zod';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { systemClock } from '../core/clock.ts';
import { instantField } from '../core/fields.ts';
import { SettingsError } from '../platform/setting-source.ts';
import { withoutAccountKeys } from '../core/redaction.ts';
import { DomainError, type InputIssue } from '../core/domain-error.ts';
import { ERROR_CODES, ISSUE_CODES } from '../core/error-codes.ts';
import { ERROR_STATUS } from './error-replies.ts';
import type { AppEnv } from './app-env.ts';

/** The most characters of an error's texts. Lists of issues are bounded far below this when they are built. */
const MAX_ERROR_LENGTH = 1_024 * 1_024;
/** How many characters of a message are shown if it is longer than that. */
const SHOWN_LENGTH = 1_000;

const codeField = z.enum(keysOf(ERROR_CODES)).meta({
  description:
    'What is wrong, for programs: the list of codes is in the introduction. Codes can be added, but never change',
  example: 'invalid_input',
});

const issueSchema = z.object({
  path: z
    .string()
    .meta({ description: 'Where in the input; for metadata, in the form of JSONPath', example: 'tokenId' }),
  code: z.enum(keysOf(ISSUE_CODES)).meta({ description: 'What is wrong, for programs', example: 'invalid_value' }),
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
    code: codeField.meta({ example: 'token_unavailable' }),
    message: z.string().meta({ description: 'Why, in words', example: 'The token is taken' }),
    errors: z.array(issueSchema).optional().meta({ description: 'Everything wrong with the item' }),
    retryAfterSeconds: z
      .int()
      .optional()
      .meta({ description: 'Only with 429: seconds until the item can succeed', example: 30 }),
  })
  .meta({ id: 'Refusal' });

/** The form of every error (specification, Errors 1 and 2). */
export const errorSchema = z
  .object({
    statusCode: z.int().meta({ description: 'HTTP status', example: 400 }),
    code: codeField,
    message: z.string().meta({ description: 'What is wrong, in words', example: 'Validation failed' }),
    timestamp: instantField.meta({ description: 'When the reply was made, UTC' }),
    path: z.string().meta({ description: 'Path of the request', example: '/minting/order' }),
    requestId: z.string().meta({
      description:
        'Id of the request in the log of the service, the same as in X-Request-Id: include it when you ask for help',
      example: '0f6b9c1e-6c1a-4d57-9a0e-3f2f7c1f2b11',
    }),
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

/** What the reply to a request needs, at the edge too. */
interface RepliesEnv {
  Variables: Pick<AppEnv['Variables'], 'requestId' | 'log'>;
}

/**
 * The reply to a request that threw. The message of a {@link DomainError} or of the framework's `HTTPException`
 * (malformed JSON, for example) is shown. Invalid settings concern the operator alone: `servicesOf` has logged them,
 * and the reply says nothing of them. Anything else is logged in full and shown as "Internal server error".
 */
export function errorReply<Env extends RepliesEnv>(error: Error, c: Context<Env>): Response {
  const shown = shownError(error);
  const hasCause = error instanceof DomainError && error.cause !== undefined;
  if (shown.kind === 'upstream') c.get('log').warn('request.upstream', { error });
  else if (shown.kind === 'internal' || (shown.kind === 'unavailable' && hasCause)) {
    c.get('log').error('request.failed', { error });
  } else if (hasCause) c.get('log').info('request.refused', { error });
  if (shown.retryAfterSeconds !== undefined) c.header('Retry-After', String(shown.retryAfterSeconds));
  return reply(c, shown);
}

/** The refusal of one item of a batch, for a reply that has others. */
export function refusal({
  kind,
  code,
  message,
  issues,
  retryAfterSeconds,
}: DomainError): z.output<typeof refusalSchema> {
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return { statusCode: ERROR_STATUS[kind], code, ...shownTexts(message, issues), ...wait };
}

/**
 * Sets Retry-After on the reply to a batch of which each item is refused but can succeed later: the longest of their
 * waits, after which all can.
 */
export function setRetryAfter(c: Context<AppEnv>, results: readonly unknown[]): void {
  const waits = results.map((result) => (result instanceof DomainError ? result.retryAfterSeconds : undefined));
  const seconds = waits.filter((wait) => wait !== undefined);
  if (seconds.length === results.length) c.header('Retry-After', String(Math.max(...seconds)));
}

/** The reply when no route matches. */
export function notFoundReply(c: Context<AppEnv>): Response {
  return reply(c, new DomainError('route_not_found', 'No route matches this path'));
}

/** The reply when a path has no such method. @param allowed The methods that it has. */
export function methodNotAllowedReply(c: Context<AppEnv>, allowed: readonly string[]): Response {
  const methods = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  c.header('Allow', methods);
  return reply(c, new DomainError('method_not_allowed', `The path does not support ${c.req.method}, only ${methods}`));
}

/** What is shown of a thrown error. */
function shownError(error: Error): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof SettingsError) return new DomainError('service_unavailable', 'The service is not available');
  if (!(error instanceof HTTPException)) return new DomainError('internal_error', 'Internal server error');
  const code = error.status === 415 ? 'unsupported_media_type' : error.status === 400 ? 'malformed_body' : undefined;
  return new DomainError(code ?? 'internal_error', code === undefined ? 'Internal server error' : error.message);
}

function reply<Env extends RepliesEnv>(c: Context<Env>, { kind, code, message, issues, state }: DomainError): Response {
  const statusCode = ERROR_STATUS[kind];
  c.header('Link', `</docs/errors#${code}>; rel="help"`);
  return c.json(
    {
      statusCode,
      code,
      timestamp: new Date(systemClock.now()).toISOString(),
      path: c.req.path,
      requestId: c.get('requestId'),
      ...shownTexts(message, issues),
      ...state,
    },
    statusCode,
  );
}

/** An error's texts, without keys of accounts, which a caller can send in a wrong place. */
function shownTexts(message: string, errors: readonly InputIssue[] | undefined) {
  const shown = withoutAccountKeys(message);
  if (lengthOf(message, errors) > MAX_ERROR_LENGTH) return { message: shown.slice(0, SHOWN_LENGTH) };
  return { message: shown, ...(errors === undefined ? {} : { errors: errors.map(shownIssue) }) };
}

function shownIssue({ path, message, code, missing, ...ofMetadata }: InputIssue) {
  return {
    path: withoutAccountKeys(path),
    code: code ?? (missing === undefined ? 'invalid_value' : 'not_found'),
    message: withoutAccountKeys(message),
    ...ofMetadata,
  };
}

function lengthOf(message: string, errors: readonly InputIssue[] = []): number {
  return errors.reduce((sum, issue) => sum + issue.path.length + issue.message.length, message.length);
}

function keysOf<Key extends string>(list: Readonly<Record<Key, unknown>>): Key[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the key type
  return Object.keys(list) as Key[];
}
