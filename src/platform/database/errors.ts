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
 * The text of a statement that aborts its transaction by casting a text to a number: `name`, a space, and the text, which says why.
 * @returns the text after the name; undefined for any other error.
 */
export function namedFailureOf(error: unknown, name: string): string | undefined {
  if (error instanceof NeonDbError) {
    const [, text] = /: "(.*)"$/s.exec(error.message) ?? [];
    return error.code === '22P02' && text?.startsWith(`${name} `) === true ? text.slice(name.length + 1) : undefined;
  }
  return error instanceof Error && error.cause !== undefined ? namedFailureOf(error.cause, name) : undefined;
}

/**
 * Whether a guard failed: a statement that divides by zero if its condition does not hold, and so aborts the transaction. A batch over
 * HTTP cannot branch between statements.
 */
export function isGuardFailure(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === '22012';
  return error instanceof Error && error.cause !== undefined && isGuardFailure(error.cause);
}
