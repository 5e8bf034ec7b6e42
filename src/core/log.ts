import type { Redact } from './redaction.ts';

type Level = 'info' | 'warn' | 'error';

/** What a line is about; set once and carried by every line of the child. */
export interface LogContext {
  readonly requestId?: string;
  readonly accountId?: string;
  readonly orderId?: string;
  readonly [key: string]: unknown;
}

/** Structured logging: one JSON object a line, one line an event. */
export interface Log {
  info(event: string, fields?: LogContext): void;
  warn(event: string, fields?: LogContext): void;
  error(event: string, fields?: LogContext): void;
  /** A log whose every line carries `context` too. */
  with(context: LogContext): Log;
}

/** Field names whose value is never written, at any depth. */
const SECRET_FIELD = /private_?key|secret|password|authorization|api_?key|raw_?transaction/i;
/** A 32-byte hex string can be a private key; transaction hashes are logged under names that end in hash(es). */
const SECRET_VALUE = /\b0x[0-9a-fA-F]{64}\b/g;
const CREDENTIALS_IN_URL = /\/\/[^/@\s]+@/g;

/** @param redact Takes out the configured secrets; the rest is for what no setting knows. */
function cleaned(redact: Redact, key: string, value: unknown): unknown {
  if (SECRET_FIELD.test(key)) return '[redacted]';
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return describeError(value);
  if (typeof value === 'string') {
    const text = redact(value).replaceAll(CREDENTIALS_IN_URL, '//[redacted]@');
    return /hash/i.test(key) ? text : text.replaceAll(SECRET_VALUE, '[redacted]');
  }
  return value;
}

function describeError(error: Error): Record<string, unknown> {
  // Drizzle puts the parameters of a failed query into its message, and so into the stack.
  const query = 'query' in error && 'params' in error ? String(error.query) : undefined;
  return {
    name: error.name,
    ...(query === undefined ? { message: error.message, stack: error.stack } : { message: 'Failed query', query }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/**
 * @param redact Takes the configured secrets out of every text of a line.
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
