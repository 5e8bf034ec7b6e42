// npm run nft -- export: writes what an account leaves behind as files that any web server serves.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { archivedCheckPage } from './check-page.ts';
import { exportAccount } from './export-account.ts';
import { chooseTarget } from '../account-target.ts';
import { objectStoreOf } from '../object-store-of.ts';
import type { Command } from '../command.ts';
import { commandLine } from '../command-line.ts';
import { databaseName } from '../database-name.ts';
import { credentialSigner } from './credential-signer.ts';
import { UsageError } from '../usage-error.ts';

const USAGE = `npm run nft -- export --account ID --to FOLDER [--records FOLDER] [--target local|database]

Writes the documents, uploaded files, revocations and credentials of a corporate account into a folder, with the page that checks certificates
and the hash of each file: any web server serves it, and the check needs neither this service nor its database. Run it again to continue after a
crash, or for what is new; the same records give the same bytes.
  --account  corporate id
  --to       the folder
  --records  another folder, for confidential records, with which npm run nft -- import imports the account elsewhere. It names holders and is
             as confidential as the database, but has no keys or secrets
  --target   as for npm run corporate, which also describes the environment that the target "database" needs. PUBLIC_RPC_URL_<chainId>,
             ALLOWED_CHAIN_IDS, IPFS_GATEWAY_URL, S3_ENDPOINT, S3_BUCKET, METADATA_BASE_URI and CREDENTIAL_SECRETS are as the service's;
             without the last two there are no credentials
Exit codes: 0 success, 1 failure, 2 ambiguous target.
Example:
  npm run nft -- export --account my-company --to ../archive --records ../archive-records`;

const CHECK_PAGE = fileURLToPath(new URL('../../dist/pages/verify/index.html', import.meta.url));

async function run(args: readonly string[]): Promise<void> {
  const { values } = commandLine(
    USAGE,
    {
      account: { type: 'string' },
      to: { type: 'string' },
      records: { type: 'string' },
      target: { type: 'string' },
    },
    { args },
  );
  const { account: corporateId, to: directory, records, target } = values;
  if (corporateId === undefined) throw new UsageError('--account is missing');
  if (directory === undefined) throw new UsageError('--to is missing');
  const chosen = chooseTarget(target, process.env);
  const { stores, settings } = chosen;
  console.error(`Reading ${databaseName(stores.databaseUrl)}`);
  const signer = credentialSigner(settings);
  if (typeof signer === 'string') console.error(`Without credentials: ${signer}`);
  const built = await readFile(CHECK_PAGE, 'utf8');
  const root = await exportAccount({
    databaseUrl: stores.databaseUrl,
    corporateId,
    directory,
    checkPage: (assetBases) => archivedCheckPage(built, settings, assetBases),
    objectStore: objectStoreOf(chosen),
    records,
    credentials: typeof signer === 'string' ? undefined : signer,
    say: (line) => console.error(line),
  });
  console.log(`${directory}: Merkle root ${root}`);
}

export const command: Command = { usage: USAGE, run };
