import type { Redact } from './redaction.ts';

type Level = 'info' | 'warn' | 'error';

/** Fields that every line of a log carries. */
export interface LogContext {
  readonly requestId?: string;
  /** Of the trace of the request, or of the one that ordered what the line is about. */
  readonly traceId?: string;
  readonly accountId?: string;
  readonly orderId?: string;
  readonly [key: string]: unknown;
}

/** Structured logging: one JSON object per line, one line per event. */
export interface Log {
  info(event: string, fields?: LogContext): void;
  warn(event: string, fields?: LogContext): void;
  error(event: string, fields?: LogContext): void;
  /** A child log whose lines also carry `context`. */
  with(context: LogContext): Log;
}

/** Names of fields whose values are never written, at any depth, unless they are numbers: those are counts. */
const SECRET_FIELD = /private_?key|secret|password|authorization|api_?key|raw_?transaction/i;
/** A 32-byte hex string can be a private key. Transaction hashes are logged under names that contain `hash`. */
const SECRET_VALUE = /\b0x[0-9a-fA-F]{64}\b/g;
const CREDENTIALS_IN_URL = /\/\/[^/@\s]+@/g;

/** @param redact Removes the configured secrets. The rules above catch secrets that are not settings. */
function cleaned(redact: Redact, key: string, value: unknown): unknown {
  if (SECRET_FIELD.test(key) && typeof value !== 'number') return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'string') {
    const text = redact(value).replaceAll(CREDENTIALS_IN_URL, '//[redacted]@');
    return /hash/i.test(key) ? text : text.replaceAll(SECRET_VALUE, '[redacted]');
  }
  return value;
}

function describeError(error: Error): Record<string, unknown> {
  // Drizzle puts the parameters of a failed query into the message, and so into the stack.
  const query = 'query' in error && 'params' in error ? String(error.query) : undefined;
  return {
    name: error.name,
    ...(query === undefined ? { message: error.message, stack: error.stack } : { message: 'Failed query', query }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/**
 * @param redact Removes the configured secrets from every string in a line.
 * @param context Fields that every line carries.
 */
export function createLog(redact: Redact, context: LogContext = {}): Log {
  const write = (level: Level, event: string, fields: LogContext = {}) => {
    const line = JSON.stringify({ time: new Date().toISOString(), level, event, ...context, ...fields }, (key, value) =>
      cleaned(redact, key, value),
    );
    // oxlint-disable-next-line eslint/no-console -- the platform collects what a Worker writes to the console
    console[level](line);
  };
  return {
    info: (event, fields) => write('info', event, fields),
    warn: (event, fields) => write('warn', event, fields),
    error: (event, fields) => write('error', event, fields),
    with: (more) => createLog(redact, { ...context, ...more }),
  };
}
