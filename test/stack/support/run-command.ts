import type { Terminal } from '../../../cli/terminal.ts';
import { recordLog } from '../../record/run-record.ts';
import { withoutShown } from './run-script.ts';

/** What a command has printed, and its exit code. */
export interface CommandResult {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  /** On stdout and stderr. */
  readonly output: string;
}

/** Runs a command in this process: loading what it needs takes much longer than what it does. */
export async function runCommand(
  command: (args: readonly string[], terminal: Terminal) => Promise<number>,
  args: readonly string[],
  env: Terminal['env'],
): Promise<CommandResult> {
  let stdout = '';
  let output = '';
  const printError = (line: string) => {
    output += `${line}\n`;
  };
  const print = (line: string) => {
    stdout += `${line}\n`;
    printError(line);
  };
  const code = await command(args, { env, print, printError });
  recordLog('the output of a command', withoutShown(output));
  return { code, stdout, output };
}
