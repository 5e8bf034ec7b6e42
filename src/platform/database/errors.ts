import { NeonDbError } from '@neondatabase/serverless';

/** Whether a statement violated the unique constraint `constraint`; unwraps drizzle's errors. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (error instanceof NeonDbError) return error.code === '23505' && error.constraint === constraint;
  return error instanceof Error && error.cause !== undefined && isUniqueViolation(error.cause, constraint);
}

/** Whether the database's answer to a statement was lost: it may have been carried out. */
export function isAnswerLost(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === undefined;
  return error instanceof Error && error.cause !== undefined && isAnswerLost(error.cause);
}

/** Whether a transaction was ended because it and another waited for each other. */
export function isDeadlock(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === '40P01';
  return error instanceof Error && error.cause !== undefined && isDeadlock(error.cause);
}

/**
 * What a statement says that fails by casting a text to a number: `name`, a space, and more. So a statement can say why it undoes its
 * transaction. @returns what follows the name; undefined for any other error.
 */
export function namedFailureOf(error: unknown, name: string): string | undefined {
  if (error instanceof NeonDbError) {
    const [, text] = /: "(.*)"$/s.exec(error.message) ?? [];
    return error.code === '22P02' && text?.startsWith(`${name} `) === true ? text.slice(name.length + 1) : undefined;
  }
  return error instanceof Error && error.cause !== undefined ? namedFailureOf(error.cause, name) : undefined;
}

/**
 * Whether a guard failed: a statement that divides by zero where a condition does not hold, and so undoes its whole transaction. A batch
 * over HTTP cannot look in between.
 */
export function isGuardFailure(error: unknown): boolean {
  if (error instanceof NeonDbError) return error.code === '22012';
  return error instanceof Error && error.cause !== undefined && isGuardFailure(error.cause);
}
