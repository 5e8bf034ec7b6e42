// npm run export: writes what an account leaves behind as files that any web server serves.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { archivedCheckPage } from '../operations/export/check-page.ts';
import { exportAccount } from '../operations/export/export-account.ts';
import { chooseTarget } from './accounts/account-target.ts';
import { commandLine } from './command-line.ts';
import { databaseName } from './database-name.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `npm run export -- --account ID --to FOLDER [--target local|database]

Writes the documents, uploaded files and revocations of a corporate account into a folder, with the page that checks certificates and the hash
of each file: any web server serves it, and the check needs neither this service nor its database. Run it again to go on after a crash, or for
what is new; the same records give the same bytes.
  --account  corporate id
  --to       the folder
  --target   as for npm run corporate, which also describes the environment that the target "database" needs. PUBLIC_RPC_URL_<chainId>,
             ALLOWED_CHAIN_IDS and IPFS_GATEWAY_URL are as the service's
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Example:
  npm run export -- --account my-company --to ../archive`;

const CHECK_PAGE = fileURLToPath(new URL('../dist/pages/verify/index.html', import.meta.url));

async function main(): Promise<void> {
  const { values } = commandLine(USAGE, {
    account: { type: 'string' },
    to: { type: 'string' },
    target: { type: 'string' },
  });
  const { account: corporateId, to: directory, target } = values;
  if (corporateId === undefined) throw new UsageError('--account is missing');
  if (directory === undefined) throw new UsageError('--to is missing');
  const { stores, settings } = chooseTarget(target, process.env);
  console.error(`Reading ${databaseName(stores.databaseUrl)}`);
  const built = await readFile(CHECK_PAGE, 'utf8');
  const root = await exportAccount({
    databaseUrl: stores.databaseUrl,
    corporateId,
    directory,
    checkPage: (assetBases) => archivedCheckPage(built, settings, assetBases),
    say: (line) => console.error(line),
  });
  console.log(`${directory}: Merkle root ${root}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : String(error));
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
}
