// npm run nft -- holder: finds what the database has about a holder of tokens, and erases it.
import { isAddress, isAddressEqual, zeroAddress } from 'viem';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { chooseTarget } from '../account-target.ts';
import { databaseName } from '../database-name.ts';
import { UsageError } from '../usage-error.ts';
import { holderRecords } from './holder-records.ts';

const USAGE = `npm run nft -- holder --address ADDRESS [--erase] [--target local|database]

Prints what the database has about a token holder, in all accounts, as JSON.
  --address  the holder's wallet
  --erase    erase it: the address in orders and transfers becomes the zero address; holdings, signed requests, sent bytes, events, deliveries and delivery logs of
             these orders are deleted. Orders that are not final are left: run it again later
  --target   as for npm run corporate, which also describes the environment that the target "database" needs
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Examples:
  npm run -s nft -- holder --address 0x8ba1f109551bD432803012645Ac136ddd64DBA72 > holder.json
  npm run nft -- holder --address 0x8ba1f109551bD432803012645Ac136ddd64DBA72 --erase --target database`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(
    USAGE,
    {
      address: { type: 'string' },
      erase: { type: 'boolean', default: false },
      target: { type: 'string' },
    },
    { args },
  );
  const { address, erase, target } = values;
  if (address === undefined || !isAddress(address, { strict: false })) {
    throw new UsageError('--address must be 0x and 40 hex digits');
  }
  // What was erased has it, and so have claims that nobody has claimed.
  if (isAddressEqual(address, zeroAddress)) throw new UsageError('--address must not be the zero address');
  const { databaseUrl } = chooseTarget(target, process.env).stores;
  console.error(`${erase ? 'Erasing from' : 'Reading'} ${databaseName(databaseUrl)}`);
  console.log(JSON.stringify(await holderRecords(databaseUrl, address, erase), null, 2));
}

export const command: Command = { usage: USAGE, run };
