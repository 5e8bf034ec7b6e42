// npm run nft -- import: takes up an account that another deployment has exported.
import { importArchive } from './import-archive.ts';
import { chooseTarget } from '../account-target.ts';
import { objectStoreOf } from '../object-store-of.ts';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { UsageError } from '../usage-error.ts';

const USAGE = `npm run nft -- import --from FOLDER --records FOLDER [--account ID] [--wallet NAME|ARN] [--confirm-issuer] [--target local|database]

Imports an account that npm run nft -- export wrote elsewhere: contracts, documents, uploaded files, and the orders that have ended. First it
reads everything and checks the contracts on chain; if anything is wrong, it says what and changes nothing. Run it again after a crash; once
it is done, it changes nothing.
  --from            the folder of the archive
  --records         the folder with the confidential records
  --account         corporate id here; default: the same as before
  --wallet          the account's wallet: the end of the name of a secret, created if it does not exist, or the ARN of a key in KMS; default: wallet
  --confirm-issuer  confirm the issuer's public identity from the archive: only if you know that it is true
  --target          as for npm run corporate, which also describes the environment that the target "database" needs. RPC_URL_<chainId>, S3_ENDPOINT
                    and S3_BUCKET are as the service's
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Example:
  npm run nft -- import --from ../archive --records ../archive-records`;

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(
    USAGE,
    {
      from: { type: 'string' },
      records: { type: 'string' },
      account: { type: 'string' },
      wallet: { type: 'string', default: 'wallet' },
      'confirm-issuer': { type: 'boolean', default: false },
      target: { type: 'string' },
    },
    { args },
  );
  const { from: directory, records, account: corporateId, wallet, 'confirm-issuer': confirmsIssuer, target } = values;
  if (directory === undefined) throw new UsageError('--from is missing');
  if (records === undefined) throw new UsageError('--records is missing');
  if (corporateId !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(corporateId)) {
    throw new UsageError('--account must be 1 to 64 letters, digits, - and _');
  }
  const chosen = chooseTarget(target, process.env);
  const { stores, chains } = chosen;
  console.error(`Importing into ${databaseName(stores.databaseUrl)}`);
  await importArchive({
    stores,
    directory,
    records,
    corporateId,
    wallet,
    confirmsIssuer,
    chains,
    objectStore: objectStoreOf(chosen),
    say: (line) => console.error(line),
  });
}

export const command: Command = { usage: USAGE, run };
