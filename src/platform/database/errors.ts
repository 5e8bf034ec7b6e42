import { NeonDbError } from '@neondatabase/serverless';

/** Whether a statement violated the unique constraint `constraint`; unwraps drizzle's errors. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (error instanceof NeonDbError) return error.code === '23505' && error.constraint === constraint;
  return error instanceof Error && error.cause !== undefined && isUniqueViolation(error.cause, constraint);
}

/** Whether the database's reply to a statement was lost: it may have been executed. */
export function isReplyLost(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === undefined;
  return error instanceof Error && error.cause !== undefined && isReplyLost(error.cause);
}

/**
 * Whether a guard failed: a statement that divides by zero if its condition does not hold, and so aborts the transaction. A batch over
 * HTTP cannot branch between statements.
 */
export function isGuardFailure(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === '22012';
  return error instanceof Error && error.cause !== undefined && isGuardFailure(error.cause);
}
