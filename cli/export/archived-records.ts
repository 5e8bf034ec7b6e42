import type { Client } from 'pg';
import { getAddress } from 'viem';
import type { ExportedAccount } from './account-records.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import { pagesOf } from './pages-of.ts';
import { RECORD_TABLES, type AccountRecord, type RecordTable } from './record-tables.ts';

/** The file with the account itself. */
export const ACCOUNT_FILE = 'account.json';
/** The file with the rows of a table: a line of JSON each. */
export const fileOf = ({ name }: Pick<RecordTable, 'name'>) => `${name}.jsonl`;
/** The columns of a table that are carried, quoted. */
const columnsOf = ({ row }: Pick<RecordTable, 'row'>) => Object.keys(row.shape).map((name) => `"${name}"`);

/**
 * Writes what the service has of an account and does not tell the public: the mirror of `importArchive`.
 * @param client In a transaction that reads.
 */
export async function writeRecords(
  folder: ArchiveFolder,
  client: Client,
  account: ExportedAccount,
  say: (line: string) => void,
): Promise<void> {
  await folder.write(ACCOUNT_FILE, `${JSON.stringify(await accountOf(client, account), null, 2)}\n`);
  for (const table of RECORD_TABLES) {
    const { name, where, orderBy } = table;
    const columns = columnsOf(table).map((column) => `r.${column}`);
    const rows = `SELECT ${columns.join(', ')} FROM ${name} r WHERE r.corporate_account_id = $1 AND ${where} ORDER BY ${orderBy}`;
    const lines = linesOf(pagesOf(client, rows, [account.id]));
    await folder.stream(fileOf(table), lines);
    const { rows: counted } = await client.query<{ count: number }>(
      `SELECT count(*)::int FROM ${name} r WHERE r.corporate_account_id = $1 AND (${where}) IS NOT TRUE`,
      [account.id],
    );
    const leftOut = counted[0]?.count ?? 0;
    if (leftOut > 0) say(`${name}: ${leftOut} are left out: they are not final, or belong to another contract`);
  }
}

async function* linesOf(pages: AsyncIterable<readonly object[]>): AsyncGenerator<Uint8Array> {
  for await (const page of pages) yield Buffer.from(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

type StoredAccount = Pick<
  AccountRecord,
  'corporateId' | 'name' | 'walletLinkType' | 'metadata' | 'status' | 'approvalsRequired' | 'didDomains' | 'firstBlocks'
> & { readonly createdAt: Date; readonly updatedAt: Date; readonly publishesDid: boolean };

async function accountOf(client: Client, { id, issuer, issuerId, wallets }: ExportedAccount) {
  const { rows } = await client.query<StoredAccount>(
    `SELECT corporate_id AS "corporateId", corporate_name AS name, wallet_link_type AS "walletLinkType", metadata, status,
       approvals_required AS "approvalsRequired", issuer_publishes_did AS "publishesDid", issuer_did_domains AS "didDomains", created_at AS "createdAt",
       updated_at AS "updatedAt", (
         SELECT coalesce(jsonb_object_agg(c.id, first.block) FILTER (WHERE first.block IS NOT NULL), '{}') FROM contracts c
         LEFT JOIN indexed_contracts i ON i.contract_id = c.id
         LEFT JOIN orders t ON t.order_id = c.id AND t.kind = 'deploy',
         LATERAL (SELECT coalesce(i.first_block, c.registered_at_block, t.block_number) AS block) first
         WHERE c.corporate_account_id = a.id AND c.status = 'ACTIVE' AND c.erc_standard <> 'Forwarder') AS "firstBlocks"
     FROM corporate_accounts a WHERE id = $1`,
    [id],
  );
  const [account] = rows;
  if (account === undefined) throw new Error('The account is gone');
  const { publishesDid, ...rest } = account;
  return {
    id,
    issuerId,
    ...rest,
    issuer: issuer && { ...issuer, publishesDid },
    wallets: wallets.map((wallet) => getAddress(wallet)),
  };
}
