// npm run corporate: creates or updates a corporate account, in the local stack or in the database of the environment.
import type { Command } from '../command.ts';
import { USAGE } from './corporate-options.ts';
import { runCorporate } from './run-corporate.ts';

async function run(args: readonly string[]): Promise<void> {
  process.exitCode = await runCorporate(args, { env: process.env, print: console.log, printError: console.error });
}

export const command: Command = { usage: USAGE, run };
