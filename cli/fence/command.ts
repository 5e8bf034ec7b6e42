// npm run nft -- fence: ends every driver that runs now, whatever its code and settings.
import { z } from 'zod';
import { raiseFence } from './raise-fence.ts';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { UsageError } from '../usage-error.ts';

const USAGE = `npm run nft -- fence [--revoke ROLE]

Gives the database at DATABASE_URL a new epoch. Each Durable Object that drives a lane then claims and stores nothing more and ends; the next one
has the code and the settings of the newest deployment. Nothing is lost: signed and stored transactions continue. Run it after a rollback
and after changing a secret, and in a restore. DATABASE_URL must be the owner's: the Worker's role cannot change the epoch.
  --revoke  first revoke this role's rights on the tables, for a database about to be replaced
Exit codes: 0 success, 1 failure.
Examples:
  DATABASE_URL=<the owner's> npm run nft -- fence
  DATABASE_URL=<the owner's> npm run nft -- fence --revoke nft_worker`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(USAGE, { revoke: { type: 'string' } }, { args });
  const url = z.url({ protocol: /^postgres(ql)?$/ }).safeParse(process.env['DATABASE_URL']);
  if (!url.success) throw new UsageError('DATABASE_URL must be the URL of the database');
  await raiseFence(url.data, values.revoke);
  const revoked = values.revoke === undefined ? '' : `, and ${values.revoke} has no rights on its tables`;
  console.log(`${databaseName(url.data)} has a new epoch${revoked}.`);
}

export const command: Command = { usage: USAGE, run };
