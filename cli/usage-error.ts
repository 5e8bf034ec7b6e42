/** A mistake in the use of a command; the message is printed to the user. */
export class UsageError extends Error {
  /** The command's exit code. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Whether an error is a mistake in the use of a command: a {@link UsageError}, or what the parser of options throws. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
