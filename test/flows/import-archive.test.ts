import { createHash } from 'node:crypto';
import { cp, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { secretsSettingsSchema } from '../../cli/corporate/wallet-secret.ts';
import { applyMigrations } from '../../cli/migrate/apply-migrations.ts';
import { grantWorkerRole } from '../../cli/migrate/grant-worker-role.ts';
import { holderRecords } from '../../cli/holder/holder-records.ts';
import { importArchive, type Import } from '../../cli/import/import-archive.ts';
import { canonicalJson } from '../../src/catalog/metadata/portable-json.ts';
import { connectChains } from '../../src/chains/client.ts';
import { chainDefinition } from '../../src/chains/list.ts';
import { fireCron } from '../../stack/fire-cron.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { startObjectStore } from '../../stack/stand-ins/object-store.ts';
import { command, headersOf, PIXEL, startArchive, type Archive } from '../fixtures/archive.ts';
import { startHealthyWorker, type BuiltWorker } from '../fixtures/built-worker.ts';
import { call, receiverAddress, stack, type Client } from '../fixtures/client.ts';
import { reseal } from '../fixtures/reseal.ts';
import { verify, type FetchJson } from '../fixtures/verify-credential.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('webhook.secret_unreadable');

const chainId = '43114';

let archive: Archive;
let client: Client;
let certificates: Address;
let tokens: Address;

beforeAll(async () => {
  archive = await startArchive();
  ({ client, certificates, tokens } = archive);
});
afterAll(() => archive.stop());

/** A database that is not in use. */
type Query = (text: string) => Promise<Record<string, unknown>[]>;

/** Another deployment, on the same chains. */
interface Deployment {
  readonly databaseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly bucketUrl: string;
  serve(): Promise<BuiltWorker>;
  readonly query: Query;
  stop(): Promise<void>;
}

let deployments = 0;

async function startDeployment(): Promise<Deployment> {
  const name = `archive_${process.pid}_${(deployments += 1)}`;
  const owner = new Postgres({ connectionString: stack.ownerDatabaseUrl });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  await owner.end();
  const databaseUrl = new URL(`/${name}`, stack.ownerDatabaseUrl).href;
  await applyMigrations(databaseUrl);
  const workerUrl = new URL(stack.settings['DATABASE_URL'] ?? '');
  workerUrl.pathname = `/${name}`;
  await grantWorkerRole(databaseUrl, workerUrl.username);
  const database = new Postgres({ connectionString: databaseUrl });
  await database.connect();
  const endpoint = await startNeonEndpoint({ databaseUrl: workerUrl.href });
  const bucket = 'other-assets';
  const credentials = {
    accessKeyId: stack.settings['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: stack.settings['AWS_SECRET_ACCESS_KEY'] ?? '',
  };
  const objects = await startObjectStore({ directory: join(archive.directory, name), bucket, credentials });
  const bucketUrl = `${objects.url}/${bucket}`;
  const settings = {
    ...stack.settings,
    // Past the faults of other tests.
    RPC_URL_43114: stack.rpcUrls[chainId] ?? '',
    DATABASE_URL: workerUrl.href,
    NEON_FETCH_ENDPOINT: endpoint.url,
    S3_ENDPOINT: objects.url,
    S3_BUCKET: bucket,
    ASSET_BASE_URL: bucketUrl,
  };
  return {
    databaseUrl,
    settings,
    bucketUrl,
    serve: () => startHealthyWorker(stack.worker, settings),
    query: async (text) => (await database.query(text)).rows,
    async stop() {
      await database.end();
      await endpoint.stop();
      await objects.stop();
    },
  };
}

/** Imports, as the command does. @returns what is said. @throws an error that begins with it. */
async function imported({ databaseUrl, settings }: Deployment, options: Partial<Import> = {}): Promise<string> {
  const said: string[] = [];
  const definition = { ...chainDefinition(chainId), rpcUrls: [stack.rpcUrls[chainId] ?? ''] };
  const secrets = secretsSettingsSchema.parse(settings);
  const { S3_ENDPOINT, S3_BUCKET = '' } = settings;
  try {
    await importArchive({
      stores: { databaseUrl, secrets, environment: 'local' },
      directory: archive.folder,
      records: archive.records,
      wallet: 'wallet',
      confirmsIssuer: false,
      chains: connectChains(new Map([[chainId, definition]])),
      objectStore: { ...secrets, S3_ENDPOINT, S3_BUCKET },
      say: (line) => said.push(line),
      ...options,
    });
  } catch (error) {
    throw new Error([...said, String(error)].join('\n'), { cause: error });
  }
  return said.join('\n');
}

/** All rows of all tables. */
async function contentsOf({ query }: Deployment): Promise<Record<string, unknown>> {
  const tables = await query(`select table_name as name from information_schema.tables where table_schema = 'public'`);
  const contents: Record<string, unknown> = {};
  for (const { name } of tables) {
    contents[String(name)] = await query(`select to_jsonb(t) as row from ${String(name)} t order by to_jsonb(t)::text`);
  }
  return contents;
}

/** A reply of either deployment. */
const reply = async (path: string, at: string) => {
  const { status, body } = await call(path, { headers: headersOf(client) }, at);
  return { status, body };
};

async function change(file: string, to: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = to(before);
  expect(after).not.toBe(before);
  await writeFile(file, after);
}

/** The line of a burn that a contract has carried out. */
const burnOf = (contract: string, tokenId = '1') =>
  `${JSON.stringify({
    id: 'b'.repeat(24),
    order_id: 'b'.repeat(24),
    kind: 'burn',
    chain_id: chainId,
    contract_address: contract,
    contract_id: null,
    erc_standard: '721',
    token_id: tokenId,
    amount: '1',
    receiver_address: null,
    holder_address: receiverAddress,
    metadata_id: null,
    details: null,
    state: 'confirmed',
    tx_hash: `0x${'5e'.repeat(32)}`,
    gas_used: null,
    total_fee_native: null,
    native_price_usd: null,
    total_fee_usd: null,
    native_price_krw: null,
    total_fee_krw: null,
    error_message: null,
    completed_at: '2026-01-01T00:00:00.000Z',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  })}\n`;

const credentialPath = (tokenId: string) => `certificates/${certificates}/${tokenId}/credential`;

describe('an archive that is imported into another deployment', () => {
  let other: Deployment;
  let worker: BuiltWorker;
  let output: string;

  beforeAll(async () => {
    other = await startDeployment();
    const args = ['--from', archive.folder, '--records', archive.records, '--wallet', 'wallet-2', '--confirm-issuer'];
    const settings = { ...other.settings, DATABASE_URL: other.databaseUrl };
    const run = await command('import', args, settings);
    ({ output } = run);
    if (run.code !== 0) throw new Error(run.output);
    // Gets an event for each transfer that is not silent.
    await other.query(
      `insert into webhook_endpoints (id, corporate_account_id, managed_by, secret_id, secret, event_types)
       values ('${'f'.repeat(24)}', '${client.account._id}', 'account', '${'f'.repeat(24)}', 'whsec_x', array['token.transferred'])`,
    );
    worker = await other.serve();
    // The chain has grown by what other tests do, and one run reads it for a limited time.
    do await fireCron(worker.url, Date.now(), undefined, 'index');
    while ((await other.query('select from token_transfers')).length < 4);
  });
  afterAll(async () => {
    await worker.stop();
    await other.stop();
  });

  it('answers as the former one: certificates, issuer, documents, orders, holdings, collections', async () => {
    const wallet = client.account.walletAddress;
    const { body: documents } = await client.get('/metadata');
    const { body: orders } = await client.get('/minting');
    expect([documents.items.length, orders.items.length]).toEqual([3, 3]);
    const { body: credential } = await call(`/${credentialPath('1')}`);
    const { pathname: list } = new URL(credential.credentialStatus.statusListCredential);
    const paths = [
      list,
      `${list}@watches.example`,
      ...['1', '2'].flatMap((tokenId) => [`/${credentialPath(tokenId)}`, `/metadata/${certificates}/${tokenId}`]),
      `/certificates/${certificates}/2/revocation`,
      `/issuers/${chainId}/${certificates}/${wallet}`,
      `/issuers/${chainId}/${certificates}/${archive.formerWallet}`,
      `/collections/${chainId}/${tokens}`,
      `/metadata/${tokens}`,
      `/metadata/${tokens}/7`,
      '/metadata',
      '/minting',
      '/certificates/revoke',
      '/transfer',
      '/burn',
      '/holdings',
      `/contracts/base-uri/${archive.baseUriChangeId}`,
      ...documents.items.flatMap(({ _id: id }: { _id: string }) => [`/metadata/${id}`, `/metadata/${id}/versions`]),
      ...orders.items.map(({ id }: { id: string }) => `/minting/${id}`),
      `/minting/by-token?contractAddress=${tokens}&tokenId=7`,
    ];
    for (const path of paths) {
      const [before, after] = await Promise.all([reply(path, stack.url), reply(path, worker.url)]);
      expect([path, before.status]).toEqual([path, 200]);
      expect([path, after]).toEqual([path, before]);
    }
    const { body: held } = await call('/holdings', { headers: headersOf(client) }, worker.url);
    expect(held.items).toHaveLength(2);
  });

  const fetchJson: FetchJson = async (url) => (await call(new URL(url).pathname, {}, worker.url)).body;

  it('has credentials that verify, with the places in the status list that they had', async () => {
    for (const [tokenId, isRevoked] of [
      ['1', false],
      ['2', true],
    ] as const) {
      const { body } = await call(`/${credentialPath(tokenId)}`, {}, worker.url);
      expect(await verify(body, fetchJson)).toEqual({ verified: true, isRevoked });
    }
  });

  it('has its contracts registered, of which the command says who owns them and what to do', async () => {
    const { body } = await call('/contracts', { headers: headersOf(client) }, worker.url);
    expect(body.items).toHaveLength(2);
    for (const contract of body.items) {
      expect(contract).toMatchObject({
        origin: 'registered',
        status: 'ACTIVE',
        currentOwnerAddress: client.account.walletAddress,
        onChain: { incomplete: null },
        metadataBaseUri: contract.contractAddress === tokens ? 'https://moved.example/metadata' : null,
      });
      expect(output).toContain(
        `${contract.contractAddress} on chain ${chainId} belongs to ${client.account.walletAddress}: until`,
      );
    }
  });

  it('has its files in the object store, under the keys that they had', async () => {
    const file = await fetch(`${other.bucketUrl}/${archive.uploaded}`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(PIXEL);
  });

  it('stores no event and sends nothing: what it imports has ended', async () => {
    await fireCron(worker.url, Date.now() + 20 * 60_000);
    await fireCron(worker.url, Date.now(), undefined, 'index');
    expect(await other.query('select from token_transfers')).toHaveLength(4);
    expect(await other.query('select from orders where not is_final')).toEqual([]);
    for (const table of ['attempts', 'webhook_events', 'webhook_deliveries', 'account_keys']) {
      expect([table, await other.query(`select * from ${table}`)]).toEqual([table, []]);
    }
  });

  it('changes nothing when it is imported again', async () => {
    const before = await contentsOf(other);
    expect(await imported(other)).toContain('was already imported');
    expect(await contentsOf(other)).toEqual(before);
  });

  it('has holders whose records can be erased', async () => {
    const found = await holderRecords(other.databaseUrl, receiverAddress, false);
    expect(found).toMatchObject({ orders: 4, unfinished: 0 });
  });
});

describe('an import', () => {
  let other: Deployment;
  let from: string;
  let beside: string;
  let copies = 0;

  beforeAll(async () => {
    other = await startDeployment();
  });
  afterAll(() => other.stop());
  beforeEach(async () => {
    copies += 1;
    [from, beside] = [join(archive.directory, `archive-${copies}`), join(archive.directory, `records-${copies}`)];
    await Promise.all([
      cp(archive.folder, from, { recursive: true }),
      cp(archive.records, beside, { recursive: true }),
    ]);
  });

  /** Imports the copy, and expects that nothing was changed. @returns what the command says. */
  async function refused(into = other, options: Partial<Import> = {}): Promise<string> {
    const before = await contentsOf(into);
    const said = await imported(into, { directory: from, records: beside, ...options }).catch(String);
    expect(said).toContain('Nothing is imported');
    expect(await contentsOf(into)).toEqual(before);
    return said;
  }

  it('names every file that was changed, is missing or is a link, and a root that is not that of the files', async () => {
    await change(join(from, 'metadata', certificates, '1'), (text) => text.replace('"', ' "'));
    await unlink(join(from, 'metadata', certificates, '2'));
    await rm(join(from, 'README.txt'));
    await symlink('/etc/hostname', join(from, 'README.txt'));
    await change(join(from, 'manifest.json'), (text) =>
      text.replace(/"merkleRoot": "../, (start) =>
        start.endsWith('00') ? start.replace('00', '11') : `${start.slice(0, -2)}00`,
      ),
    );
    const output = await refused();
    for (const fault of [
      `metadata/${certificates}/1: was changed`,
      `metadata/${certificates}/2: is missing`,
      'README.txt: is missing, or not a file',
    ]) {
      expect(output).toContain(fault);
    }
  });

  it('refuses a path that leads out of the folder', async () => {
    await change(join(from, 'SHA256SUMS'), (text) => text.replace(/ {2}README.txt/, '  ../records/account.json'));
    expect(await refused()).toContain('is not a line for a new file');
  });

  it('refuses records of another archive', async () => {
    await reseal(beside, { archive: '0'.repeat(64) });
    expect(await refused()).toContain('belongs to another archive');
  });

  it.each<[string, string, (text: string) => string, string]>([
    ['a column that is none', 'metadata', (text) => text.replace('{', '{"paused_at":"now",'), 'paused_at is not known'],
    ['no JSON', 'orders', (text) => `${'x'.repeat(100)}\n${text}`, 'orders.jsonl:1'],
    ['an order that has not ended', 'orders', (text) => text.replace('"confirmed"', '"waiting"'), ':1: state'],
    [
      'an order of no kind',
      'orders',
      (text) => text.replace('"kind":"mint"', '"kind":"gift"'),
      'must be a kind of orders',
    ],
    [
      'a mint without a receiver',
      'orders',
      (text) => text.replace(/"receiver_address":"[^"]*"/, '"receiver_address":null'),
      'receiver_address must not be null',
    ],
    [
      'a deployment with a token',
      'orders',
      (text) => text.replace(/("kind":"deploy".*"token_id":)null/, '$1"7"'),
      'token_id must be null',
    ],
    ['a document that is none', 'metadata', (text) => text.replace('"trait_type"', '"trait"'), ':1: standard_fields'],
    [
      'another document than was certified',
      'metadata',
      (text) => text.replace(/"name":"/, '"name":"x'),
      'does not have the hash of its certificate',
    ],
    [
      'another hash than the document has',
      'orders',
      (text) => text.replace(/"metadataHash":"0x./, '"metadataHash":"0xz'),
      'metadataHash',
    ],
    [
      'a contract that is not its own',
      'orders',
      (text) => text + burnOf(`0x${'b0'.repeat(20)}`),
      'is not about a contract of the archive',
    ],
    [
      'a contract that is not on the chain',
      'contracts',
      (text) => text.replaceAll(certificates, `0x${'b0'.repeat(20)}`),
      `0x${'b0'.repeat(20)} is not a contract`,
    ],
    ['another kind of contract', 'contracts', (text) => text.replace('"certificate"', '"standard"'), 'contractType'],
    [
      'a document that it does not have',
      'orders',
      (text) => text.replace(/"metadata_id":"./, '"metadata_id":"f'),
      'names a document that is not in the archive',
    ],
    ['a file of another type', 'assets', (text) => text.replace('image/png', 'text/html'), 'is no text/html'],
    ['a file at another place', 'assets', (text) => text.replace(/"s3_key":"[^/]+/, '"s3_key":"../x'), 's3_key'],
  ])('refuses %s, whoever sealed it', async (_, table, to, fault) => {
    await change(join(beside, `${table}.jsonl`), to);
    await reseal(beside);
    expect(await refused()).toContain(fault);
  });

  it('refuses a certificate that has another hash on the chain', async () => {
    const document = {
      ...JSON.parse(await readFile(join(from, 'metadata', certificates, '1'), 'utf8')),
      name: 'Forged',
    };
    const forged = createHash('sha256').update(canonicalJson(document)).digest('hex');
    const genuine = JSON.parse(await readFile(join(from, credentialPath('1')), 'utf8')).credentialSubject.token;
    await change(join(beside, 'metadata.jsonl'), (text) =>
      text.replaceAll(/.*"token_id":"1".*/g, (line) =>
        JSON.stringify({ ...JSON.parse(line), standard_fields: document, metadata_hash: `0x${forged}` }),
      ),
    );
    await change(join(beside, 'orders.jsonl'), (text) =>
      text.replaceAll(/.*"token_id":"1".*/g, (line) => line.replace(genuine.metadataHash, `0x${forged}`)),
    );
    await reseal(beside);
    expect(await refused()).toContain(`${certificates}/1 has another hash on chain ${chainId}`);
  });

  /** Adds a row to a table, made of the one of the first certificate. */
  async function addRow(table: string, columns: object): Promise<void> {
    await change(join(beside, `${table}.jsonl`), (text) => {
      const [line = ''] = /.*"token_id":"1".*/.exec(text) ?? [];
      return `${text}${JSON.stringify({ ...JSON.parse(line), ...columns })}\n`;
    });
  }
  const [madeDocument, madeOrder] = ['d'.repeat(24), 'e'.repeat(24)];

  it('refuses another document of a certificate, in an order that is said to be older than the one that minted it', async () => {
    const document = {
      ...JSON.parse(await readFile(join(from, 'metadata', certificates, '1'), 'utf8')),
      name: 'Forged',
    };
    const hash = `0x${createHash('sha256').update(canonicalJson(document)).digest('hex')}`;
    await addRow('metadata', { id: madeDocument, standard_fields: document, metadata_hash: hash });
    await addRow('orders', {
      id: madeOrder,
      order_id: madeOrder,
      metadata_id: madeDocument,
      details: { tokenUri: 'https://other.example', metadataHash: hash },
      completed_at: '2020-01-01T00:00:00.000Z',
    });
    await reseal(beside);
    expect(await refused()).toContain(`${madeOrder} has a different hash than another mint of its certificate`);
  });

  it.each(['with', 'without'])('refuses to serve another document of a certificate, %s an order', async (order) => {
    const document = {
      ...JSON.parse(await readFile(join(from, 'metadata', certificates, '1'), 'utf8')),
      name: 'Forged',
    };
    const hash = `0x${createHash('sha256').update(canonicalJson(document)).digest('hex')}`;
    await addRow('metadata', {
      id: madeDocument,
      standard_fields: document,
      metadata_hash: hash,
      linked_at: '2100-01-01T00:00:00.000Z',
    });
    if (order === 'without') {
      await change(join(beside, 'orders.jsonl'), (text) => text.replaceAll(/.*"kind":"mint".*"token_id":"1".*\n/g, ''));
    }
    await reseal(beside);
    const where =
      order === 'with' ? 'has a different hash than its certificate' : `has another hash on chain ${chainId}`;
    expect(await refused()).toContain(`${certificates}/1 ${where}`);
  });

  it('refuses a certificate that was never minted, also if a unit of it is said to be burned', async () => {
    await addRow('metadata', { id: madeDocument, token_id: '9' });
    const made = { id: madeOrder, order_id: madeOrder, metadata_id: madeDocument, token_id: '9', amount: '5' };
    await addRow('orders', made);
    await change(join(beside, 'orders.jsonl'), (text) => text + burnOf(certificates, '9'));
    await reseal(beside);
    expect(await refused()).toContain(`${certificates}/9 was not minted as its orders say on chain ${chainId}`);
  });

  it('refuses contracts that belong to an account that is there, though it has not registered them', async () => {
    await other.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
       values ('${'a'.repeat(24)}', 'owner', 'Owner', 'key', '${client.account.walletAddress}')`,
    );
    try {
      await change(join(beside, 'account.json'), (text) => JSON.stringify({ ...JSON.parse(text), wallets: [] }));
      await reseal(beside);
      for (const contract of [certificates, tokens]) {
        expect(await refused(other, { wallet: 'wallet-3' })).toContain(
          `${contract} belongs to ${client.account.walletAddress}, which is another`,
        );
      }
    } finally {
      await other.query(`delete from corporate_accounts where corporate_id = 'owner'`);
    }
  });

  it('names what the database could not store, before it makes a wallet', async () => {
    for (const table of ['metadata', 'orders', 'assets', 'credential_statuses']) {
      const first = table === 'orders' ? /.*"kind":"mint".*\n/ : /^.*\n/;
      await change(join(beside, `${table}.jsonl`), (text) => text.replace(first, (line) => line + line));
    }
    await addRow('orders', { id: madeOrder, order_id: madeOrder, created_at: '0000-01-01T00:00:00Z' });
    await addRow('credential_statuses', { token_id: '8', number: 2 ** 31 });
    await change(join(beside, 'account.json'), (text) => {
      const account = JSON.parse(text);
      return JSON.stringify({ ...account, wallets: [...account.wallets, account.wallets[0].toLowerCase()] });
    });
    await reseal(beside);
    expect(await refused()).toContain('must not name a wallet twice');
    await change(join(beside, 'account.json'), (text) => JSON.stringify({ ...JSON.parse(text), wallets: [] }));
    await reseal(beside);
    const said = await refused();
    for (const fault of [
      /metadata: [0-9a-f]{24} has the id of another row/,
      /orders: [0-9a-f]{24} has the metadata_id of another row/,
      /assets: [0-9a-f]{24} has the s3_key of another row/,
      /credential_statuses: 0x[0-9a-f]{40} has the number of another row/,
      /orders.jsonl:\d+: created_at must be of the years 1 to 9998/,
      /credential_statuses.jsonl:\d+: number/,
    ]) {
      expect(said).toMatch(fault);
    }
  });

  it('shows no character of an archive that controls a terminal', async () => {
    await change(join(beside, 'metadata.jsonl'), (text) => text.replace('{', '{"\\u001b[2J":1,'));
    await reseal(beside);
    const said = await refused();
    expect(said).toContain('?[2J');
    expect(said).not.toContain('\u001b');
  });

  it.each(['manifest.json', 'SHA256SUMS'])('does not follow a link in place of %s', async (name) => {
    await rm(join(from, name));
    await symlink(join(archive.folder, name), join(from, name));
    expect(await refused()).toContain(`${name}: is missing, or not a file`);
  });

  it('refuses the ids of another account, and changes nothing of it', async () => {
    const account = JSON.parse(await readFile(join(beside, 'account.json'), 'utf8'));
    const owner = new Postgres({ connectionString: stack.ownerDatabaseUrl });
    await owner.connect();
    const ofOwner = async () => {
      const tables = ['contracts', 'metadata', 'orders', 'assets', 'relayer_wallets', 'audit_log'];
      const found = [];
      for (const table of tables) {
        const rows = `select to_jsonb(t) as row from ${table} t where corporate_account_id = $1 order by 1`;
        found.push((await owner.query(rows, [account.id])).rows);
      }
      return found;
    };
    try {
      const before = await ofOwner();
      const into = { ...other, databaseUrl: stack.ownerDatabaseUrl };
      const options = { corporateId: 'somebody', directory: from, records: beside };
      expect(await imported(into, options).catch(String)).toContain(
        `The ids of the account are those of the account ${client.account.corporateId}`,
      );
      const ids = { id: 'a'.repeat(24), corporateId: 'somebody', issuerId: crypto.randomUUID() };
      await writeFile(join(beside, 'account.json'), JSON.stringify({ ...account, ...ids }));
      await reseal(beside);
      const said = await imported(into, options).catch(String);
      for (const fault of [
        `The wallet ${client.account.walletAddress} is another account's`,
        `The wallet ${archive.formerWallet} is another account's`,
        `contracts: ${certificates} is another account's`,
        `assets: ${archive.uploaded} is another account's`,
        /metadata: [0-9a-f]{24} is another account's/,
        /orders: [0-9a-f]{24} is another account's/,
      ]) {
        expect(said).toMatch(fault);
      }
      expect(await ofOwner()).toEqual(before);
      expect((await owner.query(`select from corporate_accounts where corporate_id = 'somebody'`)).rows).toEqual([]);
    } finally {
      await owner.end();
    }
  });

  it('that crashes while it stores records stores none, and goes on after it; contracts whose first transfers were never read stay such', async () => {
    const { firstBlocks } = JSON.parse(await readFile(join(beside, 'account.json'), 'utf8'));
    await change(join(beside, 'contracts.jsonl'), (text) =>
      text.replaceAll(/.*"erc_standard":"1155".*/g, (line) => {
        const row = JSON.parse(line);
        return JSON.stringify({ ...row, registered_at_block: String(firstBlocks[row.id]) });
      }),
    );
    // As a client may have sent it.
    await change(join(beside, 'orders.jsonl'), (text) =>
      text.replaceAll(/(?<="metadataHash":"0x)[0-9a-f]+/g, (hash) => hash.toUpperCase()),
    );
    await reseal(beside);
    await other.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'crashed'; end $$`,
    );
    await other.query(
      `create trigger fail before insert on orders for each row when (new.resource = 'certificate-revocations') execute function fail()`,
    );
    const before = await contentsOf(other);
    const options = { corporateId: 'renamed', directory: from, records: beside };
    const crashed = await imported(other, options).catch(String);
    expect(crashed).toMatch(/1 of 1 uploaded files stored[^]*crashed/);
    expect(await contentsOf(other)).toEqual(before);
    await other.query('drop trigger fail on orders');
    const again = await imported(other, options);
    expect(again).toContain('0 of 1 uploaded files stored');
    expect(again).toContain('The archive names Watches of watches.example as the issuer');
    const [account] = await other.query(
      'select corporate_id, issuer_name, secret_manager_key_id from corporate_accounts',
    );
    expect(account).toEqual({
      corporate_id: 'renamed',
      issuer_name: null,
      secret_manager_key_id: '/dapp/dev/corp/renamed/wallet',
    });
    expect(await other.query(`select from orders where resource = 'minting-orders'`)).toHaveLength(3);
    expect(
      await other.query(
        `select c.erc_standard, i.first_block < c.registered_at_block as is_complete, i.first_block < i.silent_to as has_silent
         from contracts c join indexed_contracts i on i.contract_id = c.id order by 1`,
      ),
    ).toEqual([
      { erc_standard: '1155', is_complete: false, has_silent: true },
      { erc_standard: '721', is_complete: true, has_silent: true },
    ]);
  });
});
