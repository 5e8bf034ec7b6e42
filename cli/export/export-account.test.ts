import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { applyMigrations } from '../migrate/apply-migrations.ts';
import { exportAccount } from './export-account.ts';
import { merkleRoot } from './merkle-root.ts';
import { create2Address, saltOf } from '../../src/catalog/contracts/create2.ts';
import { creationCode } from '../../src/catalog/contracts/creation-code.ts';
import { canonicalJson } from '../../src/catalog/metadata/portable-json.ts';
import { startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import { type Postgres, startPostgres } from '../../stack/postgres/postgres.ts';

const OTHERS = `0x${'c2'.repeat(20)}`;
/** Of a record of this service, by which its address is the one of published code. */
const RECORD = { name: 'Certificates', symbol: 'CERT', ercStandard: '721', contractType: 'certificate' } as const;
const CREATED_ID = '0190f3c1a2b4d5e6f7a8b9c0';
const WALLET = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const CONTRACT: string = create2Address(
  saltOf(CREATED_ID),
  creationCode({
    kind: 'certificate',
    ...RECORD,
    owner: WALLET,
    trustedForwarder: null,
    baseUri: '',
    burnAuth: 'holder',
  }),
);
const FOREIGN: string = `0x${'c3'.repeat(20)}`;
const FORMER = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

let directory: string;
let postgres: Postgres;
let database: Client;
let files: HttpServer;
let served: string | undefined;
/** What the store was asked for. */
let asked: string[];
let folder: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'export-account-'));
  postgres = await startPostgres({ directory: join(directory, 'postgres'), password: 'password' });
  await applyMigrations(postgres.url);
  database = new Client({ connectionString: postgres.url });
  await database.connect();
  files = await startHttpServer('files', (request, response) => {
    asked.push(String(request.url));
    response.writeHead(served === undefined ? 302 : 200, { location: `${files.url}/inner` }).end(served);
  });
  for (const [id, wallet] of [
    ['a', WALLET],
    ['b', `0x${'b0'.repeat(20)}`],
  ]) {
    await database.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address, issuer_name,
         issuer_logo_url, issuer_domain, issuer_confirmed_at)
       values ($1, 'company-' || $1, 'Company', 'key', $2, 'Watches', 'https://watches.example/logo.svg', 'watches.example',
         '2026-01-02T03:04:05.678Z')`,
      [id, wallet],
    );
  }
  await database.query(
    `insert into relayer_wallets (address, corporate_account_id, secret_id, created_at, replaced_at)
     values ($1, 'a', 's', '2026-01-01', '2026-01-01')`,
    [FORMER],
  );
  for (const [id, account, address] of [
    [CREATED_ID, 'a', CONTRACT],
    ['c2', 'b', OTHERS],
    ['c3', 'a', FOREIGN],
  ]) {
    await database.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, contract_address, name, symbol)
       values ($1, $2, '43114', $4, $5, 'ACTIVE', $3, $6, $7)`,
      [id, account, address, RECORD.ercStandard, RECORD.contractType, RECORD.name, RECORD.symbol],
    );
  }
  await database.query(
    `insert into assets (id, corporate_account_id, original_file_name, s3_key, url, mime_type, size_bytes)
     values ('f', 'a', 'a.png', 'x/f.png', $1, 'image/png', 7)`,
    ['http://127.0.0.1/inner/x/f.png'],
  );
  await database.query(
    `insert into orders (id, kind, order_id, resource, corporate_account_id, contract_id, chain_id, wallet_address, contract_address, erc_standard,
       holder_address, token_id, amount, details, state, next_try_at)
     select n::text, 'certificate-revocation', n::text, 'certificate-revocations', 'a', $2, '43114', '', $1, '721', '0x', '2', 1,
       jsonb_build_object('reason', 'Reason ' || n), case n when 3 then 'failed' else 'confirmed' end, now()
     from generate_series(1, 3) n`,
    [CONTRACT, CREATED_ID],
  );
});
afterAll(async () => {
  await database.end();
  await files.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  asked = [];
  served = '7 bytes';
  folder = await mkdtemp(join(directory, 'archive-'));
  await database.query('delete from metadata');
});

const documentOf = (tokenId: string) => ({ name: `No. ${tokenId}`, attributes: [{ trait_type: 'Type', value: 'ü' }] });
const hashOf = (document: object) => `0x${createHash('sha256').update(canonicalJson(document)).digest('hex')}`;

async function link(
  tokenId: string,
  { account = 'a', contract = CONTRACT, document = documentOf(tokenId), hash = hashOf(document), at = 1 } = {},
) {
  await database.query(
    `insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version, standard_fields, metadata_hash, linked_at)
     values ($1, $2, '43114', $3, $4, 'cert_schema@1.0.0', $5, $6, to_timestamp($7))`,
    [`${tokenId}-${at}-${contract.slice(-2)}`, account, contract, tokenId, document, hash, at],
  );
}

const said: string[] = [];
const exported = (corporateId = 'company-a', records?: string) =>
  exportAccount({
    databaseUrl: postgres.url,
    corporateId,
    directory: folder,
    records,
    objectStore: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      S3_ENDPOINT: files.url,
      S3_BUCKET: 'bucket',
    },
    checkPage: (bases) => JSON.stringify(bases),
    say: (line) => said.push(line),
  });
const text = (path: string) => readFile(join(folder, path), 'utf8');
const paths = async () => (await text('SHA256SUMS')).split('\n').map((line) => line.slice(66));

it('has the documents, revocations and files of the account and of no other, and who its wallets are', async () => {
  for (const tokenId of ['1', '2']) await link(tokenId);
  await link('2', { document: { name: 'As issued again' } as never, at: 2 });
  await link('9', { account: 'b', contract: OTHERS });
  const root = await exported();
  expect(await text(`metadata/${CONTRACT}/1`)).toBe(canonicalJson(documentOf('1')));
  expect(await text(`metadata/${CONTRACT}/2`)).toBe('{"name":"As issued again"}');
  expect(JSON.parse(await text(`certificates/${CONTRACT}/2/revocation`))).toEqual({
    chainId: '43114',
    reason: 'Reason 2',
    txHash: null,
  });
  const issuer = {
    name: 'Watches',
    logoUrl: 'https://watches.example/logo.svg',
    domain: 'watches.example',
    confirmedAt: '2026-01-02T03:04:05.678Z',
  };
  for (const wallet of [WALLET, FORMER]) {
    expect(JSON.parse(await text(`issuers/43114/${CONTRACT}/${wallet.toLowerCase()}`))).toEqual(issuer);
  }
  expect((await paths()).filter((path) => path.startsWith('issuers/') && path.includes(FOREIGN))).toEqual([]);
  expect(await text('assets/x/f.png')).toBe('7 bytes');
  // By its key, whatever URL an archive has given it.
  expect(asked).toEqual(['/bucket/x/f.png']);
  expect(JSON.parse(await text('verify/index.html'))).toEqual(['http://127.0.0.1/inner/']);
  expect(await text(`verify/${CONTRACT}/1/index.html`)).toContain(
    `?contract=${CONTRACT}&amp;token=1&amp;chainId=43114`,
  );
  expect((await paths()).filter((path) => path.includes(OTHERS))).toEqual([]);
  expect(JSON.parse(await text('manifest.json'))).toMatchObject({
    issuer: 'Watches',
    chains: ['43114'],
    merkleRoot: root,
  });
});

it('stops at a document that does not have the hash of its certificate, and at a file that is not as it was', async () => {
  await link('1', { hash: hashOf({}) });
  await expect(exported()).rejects.toThrow(`${CONTRACT}/1 does not have the hash`);
  await database.query('delete from metadata');
  served = 'longer than 7 bytes';
  await expect(exported()).rejects.toThrow('assets/x/f.png does not have 7 bytes');
  served = undefined;
  await expect(exported()).rejects.toThrow('answered 302');
  expect(asked).not.toContain('/inner');
  await expect(exported('nobody')).rejects.toThrow('no account nobody');
});

it('goes on after it was interrupted, reads no file again, and has no part of one', async () => {
  for (let number = 0; number < 1_100; number += 1) await link(String(number));
  served = undefined;
  await expect(exported()).rejects.toThrow('answered 302');
  served = '7 bytes';
  const root = await exported();
  served = undefined;
  await writeFile(join(folder, `metadata/${CONTRACT}/1`), '{}');
  await rm(join(folder, `metadata/${CONTRACT}/2`));
  expect(await exported()).toBe(root);
  expect(await text(`metadata/${CONTRACT}/1`)).toBe(canonicalJson(documentOf('1')));
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = all.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  // Besides those that it lists: SHA256SUMS and manifest.json.
  expect(names).toHaveLength((await paths()).length - 1 + 2);
});

it('writes the records of the account and of no other beside the archive, without what has not ended for good', async () => {
  await link('1');
  await link('9', { account: 'b', contract: OTHERS });
  await database.query(
    `insert into orders (id, kind, order_id, resource, corporate_account_id, contract_id, chain_id, wallet_address, contract_address, erc_standard,
       receiver_address, token_id, amount, metadata_id, state, is_final, next_try_at)
     select v.id, 'mint', v.id, 'minting-orders', v.account, c.id, '43114', '0x', c.contract_address, '1155', $1, '1', 1, m.id, v.state, v.is_final, now()
     from (values ('final', 'a', 'confirmed', true), ('ended', 'a', 'failed', true), ('reorganized', 'a', 'confirmed', false),
       ('signed', 'a', 'signed', false), ('other', 'b', 'failed', true)) v (id, account, state, is_final)
     join contracts c on c.corporate_account_id = v.account and c.id <> 'c3' join metadata m on m.corporate_account_id = v.account`,
    [WALLET],
  );
  const records = `${folder}-records`;
  said.length = 0;
  const root = await exported('company-a', records);
  const rowsOf = async (table: string) => {
    const lines = (await readFile(join(records, `${table}.jsonl`), 'utf8')).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  };
  const orders = await rowsOf('orders');
  expect(orders.filter(({ kind }) => kind === 'mint')).toMatchObject([{ id: 'ended' }, { id: 'final' }]);
  expect(said.join('\n')).toContain('orders: 4 are left out');
  expect(await rowsOf('contracts')).toMatchObject([
    { id: CREATED_ID, contract_address: CONTRACT },
    { id: 'c3', contract_address: FOREIGN },
  ]);
  expect(await rowsOf('metadata')).toMatchObject([{ token_id: '1' }]);
  expect(JSON.parse(await readFile(join(records, 'manifest.json'), 'utf8'))).toMatchObject({ archive: root });
  expect(await paths()).not.toContain('account.json');
  await database.query("delete from orders where resource = 'minting-orders'");
});

it('does not write records into the archive, nor the archive into the records', async () => {
  for (const records of [folder, join(folder, 'private'), join(folder, '..')]) {
    await expect(exported('company-a', records)).rejects.toThrow('it is not public');
  }
  const alias = `${folder}-link`;
  await symlink(folder, alias);
  for (const records of [alias, join(alias, 'private')]) {
    await expect(exported('company-a', records)).rejects.toThrow('it is not public');
  }
});

it('has nothing any more that it had before, and touches no file that it did not write', async () => {
  await link('1');
  await exported();
  const issuer = `issuers/43114/${CONTRACT}/${WALLET.toLowerCase()}`;
  const others = [join(folder, '_headers'), join(folder, 'assets/own.css'), join(directory, 'outside')];
  for (const file of others) await writeFile(file, 'mine');
  await appendFile(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  ../outside\n${'0'.repeat(64)}  ${others[2]}\n`);
  const merkle = merkleRoot((await text('SHA256SUMS')).split('\n').slice(0, -1));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ merkleRoot: merkle }, null, 2));
  await database.query("update corporate_accounts set issuer_confirmed_at = null where id = 'a'");
  try {
    await exported();
  } finally {
    await database.query(
      "update corporate_accounts set issuer_confirmed_at = '2026-01-02T03:04:05.678Z' where id = 'a'",
    );
  }
  await expect(text(issuer)).rejects.toThrow('ENOENT');
  for (const file of others) expect(await readFile(file, 'utf8')).toBe('mine');
});

it('removes no file that another program has described by SHA256SUMS', async () => {
  await writeFile(join(folder, 'release.tar'), 'mine');
  await writeFile(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  release.tar\n`);
  await exported();
  expect(await text('release.tar')).toBe('mine');
});

it('reads a file again that was changed since the last run, though its size is the same', async () => {
  const root = await exported();
  await writeFile(join(folder, 'assets/x/f.png'), '7 bites');
  expect(await exported()).toBe(root);
  expect(await text('assets/x/f.png')).toBe('7 bytes');
});
