/** What the user of a command did wrong, in words for the user. */
export class UsageError extends Error {
  /** What the command ends with. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
