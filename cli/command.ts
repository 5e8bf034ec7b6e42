import { redactionOf } from '../src/core/redaction.ts';
import { isUsageError, UsageError } from './usage-error.ts';

/** What the operator of a deployment runs as `npm run nft -- <command>`. */
export interface Command {
  /** How it is used, with examples. */
  readonly usage: string;
  /** It may set the exit code of this process. @param args Those after its name. @throws {UsageError} */
  readonly run: (args: readonly string[]) => Promise<void>;
  /** Removes secrets from an error. Default: those of the environment. */
  readonly redact?: (text: string) => string;
}

/** Runs a command; an error is printed, with how the command is used if that was the mistake. */
export async function runCommand(
  { usage, run, redact = redactionOf(process.env) }: Command,
  args: readonly string[],
): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    console.error(isUsageError(error) ? `${error.message}\n\n${usage}` : redact(String(error)));
    process.exitCode = error instanceof UsageError ? error.exitCode : 1;
  }
}
