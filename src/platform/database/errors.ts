import { NeonDbError } from '@neondatabase/serverless';
import { sql, type SQL } from 'drizzle-orm';

/** Why a statement aborts its transaction, which a batch over HTTP cannot do otherwise. */
export type AbortName =
  | 'limits_exceeded'
  | 'limits_set'
  | 'spend_limit_exceeded'
  | 'transactions_changed'
  | 'order_under_way'
  | 'nonce_used'
  | 'metadata_occupied'
  | 'idempotency_key_taken'
  | 'key_revoked'
  | 'account_inactive'
  | 'fenced_off';

/** The SQLSTATE of the function `abort_transaction`, which the migration creates. */
const ABORTED = 'NF001';

/** An SQL expression that aborts its transaction when it is evaluated. @param detail A text for {@link abortDetail}. */
export function abortTransaction(name: AbortName, detail: SQL = sql`null`): SQL {
  return sql`abort_transaction(${name}, ${detail})`;
}

/** Whether {@link abortTransaction} aborted a transaction, for one of these reasons. */
export function isAborted(error: unknown, ...names: readonly AbortName[]): boolean {
  const { code, constraint } = reported(error) ?? {};
  return code === ABORTED && names.some((name) => name === constraint);
}

/** The detail of an {@link isAborted} error; undefined for any other error. */
export function abortDetail(error: unknown, name: AbortName): string | undefined {
  return isAborted(error, name) ? reported(error)?.detail : undefined;
}

/** Whether a statement violated the unique constraint `constraint`. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const found = reported(error);
  return found?.code === '23505' && found.constraint === constraint;
}

/**
 * The SQLSTATEs of a statement whose connection was lost. Neon reports it like an error of the statement: with the code
 * that PostgreSQL sent last, or with an empty one.
 */
const CONNECTION_LOST = /^(?:57P0[1-3]|08\w{3}|40003|)$/;

/** Whether the database's reply to a statement was lost: it may have been executed. */
export function isReplyLost(error: unknown): boolean {
  const found = reported(error);
  return found !== undefined && CONNECTION_LOST.test(found.code ?? '');
}

/** Whether the database did not answer, or has no connection left: the same may succeed a little later. */
export function isUnavailable(error: unknown): boolean {
  return isReplyLost(error) || reported(error)?.code === '53300';
}

/** The driver's error, which drizzle wraps. */
function reported(error: unknown): NeonDbError | undefined {
  if (error instanceof NeonDbError) return error;
  return error instanceof Error ? reported(error.cause) : undefined;
}
