/** A mistake in the use of a command; the message is printed to the user. */
export class UsageError extends Error {
  /** The command's exit code. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
