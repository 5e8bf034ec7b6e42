import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { BURNS_GAS, deployElsewhere, setCode } from '../fixtures/foreign-contract.ts';
import { newSigner } from '../fixtures/gasless.ts';
import { csvOf, importFile, resultOf, uploadFile } from '../fixtures/imports.ts';
import { adminOf, ask, keyHeaders, makeKey, revoke } from '../fixtures/keys.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('import.failed', 'import.not_advanced', 'cleanup.failed');

const chainId = '43114';
const SCOPE = 'imports';
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });

let client: Client;
let tickets: Address;
let units: Address;
let lastToken = 0;

beforeAll(async () => {
  await database.connect();
  client = await newClient();
  const [one, other] = await Promise.all([deployContract(client), deployContract(client, { ercStandard: '1155' })]);
  [tickets, units] = [one.contractAddress, other.contractAddress];
});
afterEach(() => setFaults(stack.proxies.database, [], SCOPE));
afterAll(() => database.end());

const IMAGE = 'https://example.com/a.png';
const TOKEN_COLUMNS = ['receiverAddress', 'tokenId', 'name', 'imageUrl', 'utility.type', 'utility.data.status'];
const tokenRow = (tokenId = String((lastToken += 1))) => [
  receiverAddress,
  tokenId,
  `Token ${tokenId}`,
  IMAGE,
  'Flexible',
  'Unused',
];
const tokensFile = (rows: readonly (readonly unknown[])[]) => csvOf([TOKEN_COLUMNS, ...rows]);
const toTickets = () => ({ kind: 'tokens', chainId, contractAddress: tickets });
const start = (id: string, body: object = {}) => client.post(`/imports/${id}/start`, body);
const act = (id: string, action: string, headers: Readonly<Record<string, string>> = {}) =>
  client.post(`/imports/${id}/${action}`, '', headers);
const ended = (id: string) => client.until(`/imports/${id}`, ['COMPLETED', 'CANCELLED', 'PAUSED']);
const read = async (id: string) => (await client.get(`/imports/${id}`)).body;
const range = (count: number) => Array.from({ length: count }, () => tokenRow());
const limit = (one: Client, limits: object) =>
  fetch(`${stack.url}/admin/accounts/${one.account.corporateId}/limits`, {
    method: 'PUT',
    headers: { ...adminOf(one), 'content-type': 'application/json' },
    body: JSON.stringify(limits),
  });
/** As if the lease of a Worker that has died were over. */
const expireLease = (id: string) =>
  database.query("update imports set next_try_at = now() - interval '10 minutes' where id = $1", [id]);

describe('a file', () => {
  it('makes nothing until it is started, and then a document and a mint of every row', async () => {
    const rows = range(150);
    const checked = await importFile(client, toTickets(), tokensFile(rows));
    expect(checked).toMatchObject({
      kind: 'tokens',
      status: 'CHECKED',
      contractAddress: tickets,
      rows: 150,
      rowsChecked: 150,
      faultyRows: 0,
      faultCount: 0,
      faults: [],
      accepted: 0,
      columns: TOKEN_COLUMNS,
      waiting: null,
      startedAt: null,
    });
    expect(checked.preview).toHaveLength(5);
    expect(checked.preview[0]).toEqual({ row: 2, cells: rows[0] });
    const result = await resultOf(client, checked.id);
    expect(new Set(result.map(({ status }) => status))).toEqual(new Set(['NOT_ACCEPTED']));
    expect((await client.get(`/minting?contractAddress=${tickets}`)).body.items).toEqual([]);

    expect(await start(checked.id)).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    expect(await ended(checked.id)).toMatchObject({ status: 'COMPLETED', accepted: 150, refused: 0 });
    const accepted = await resultOf(client, checked.id);
    expect(accepted.map(({ row, tokenId }) => [row, tokenId])).toEqual(
      rows.map(([, tokenId], index) => [String(index + 2), tokenId]),
    );
    const [first, last] = [accepted[0], accepted.at(-1)];
    for (const row of [first, last]) {
      expect(await client.until(`/minting/${row?.['orderId']}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
        status: 'CONFIRMED',
        tokenId: row?.['tokenId'],
        metadataId: row?.['metadataId'],
      });
      expect((await client.get(`/metadata/${row?.['metadataId']}`)).body).toMatchObject({
        name: `Token ${row?.['tokenId']}`,
      });
    }
    const { body } = await ask(adminOf(client), '/audit?limit=100');
    const rowsOfStart = body.items.filter(({ route }: { route: string }) => route === '/imports/{id}/start');
    expect(rowsOfStart.flatMap(({ resourceIds }: { resourceIds: string[] }) => resourceIds)).toEqual(
      expect.arrayContaining([checked.id, ...accepted.flatMap(({ orderId, metadataId }) => [orderId, metadataId])]),
    );
  });

  it('of metadata makes documents, and of mints mints them, with any separator and a byte order mark', async () => {
    const columns = ['name', 'imageUrl', 'utility.type', 'utility.data.level:number'];
    const file = `\uFEFF${[columns, ['이름', IMAGE, 'Flexible', '3'], ['B', IMAGE, 'Flexible', '-4.5']].map((row) => row.join(';')).join('\n')}`;
    const documents = await importFile(client, { kind: 'metadata', chainId }, file);
    expect(documents).toMatchObject({ rows: 2, faultCount: 0, contractAddress: null });
    await start(documents.id);
    expect(await ended(documents.id)).toMatchObject({ status: 'COMPLETED', accepted: 2 });
    const made = await resultOf(client, documents.id);
    expect(made).toMatchObject([
      { row: '2', status: 'CREATED' },
      { row: '3', status: 'CREATED' },
    ]);
    expect((await client.get(`/metadata/${made[0]?.['metadataId']}`)).body).toMatchObject({
      name: '이름',
      utility: { data: { level: 3 } },
    });

    const mints = made.map(({ metadataId }, index) => ({
      receiverAddress,
      tokenId: String(index + 1),
      amount: 5,
      metadataId,
    }));
    const target = { kind: 'mints', chainId, contractAddress: units };
    const lines = mints.map((mint) => JSON.stringify(mint)).join('\n');
    const orders = await importFile(client, target, lines, 'application/x-ndjson');
    expect(orders).toMatchObject({ rows: 2, faultCount: 0, columns: null, preview: [{ row: 1 }, { row: 2 }] });
    await start(orders.id);
    expect(await ended(orders.id)).toMatchObject({ status: 'COMPLETED', accepted: 2 });
    const [order] = await resultOf(client, orders.id);
    expect(await client.until(`/minting/${order?.['orderId']}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'CONFIRMED',
      amount: 5,
    });
  });

  it('of certificates names the documents that the service serves for them', async () => {
    const { contractAddress } = await deployContract(client, { contractType: 'certificate' });
    const template = (await client.get('/imports/template?kind=tokens&schema=cert_schema@1.0.0')).body;
    const one = await importFile(client, { kind: 'tokens', chainId, contractAddress }, template);
    expect(one).toMatchObject({ rows: 1, faults: [] });
    const [header = '', example = ''] = template.trimEnd().split('\r\n');
    const faulty = [example.replace('Diver', ''), example.replace('Certificate', 'Flexible')];
    const target = { kind: 'tokens', chainId, contractAddress };
    const { faults } = await importFile(client, target, [header, ...faulty].join('\n'));
    expect(faults.map(({ row, column }: { row: number; column: string }) => `${row} ${column}`)).toEqual([
      '2 attributes',
      '3 schemaVersion',
      '3 utility.type',
    ]);
    await start(one.id);
    await ended(one.id);
    const [row] = await resultOf(client, one.id);
    expect(row).toMatchObject({ tokenId: '1' });
    expect(await client.until(`/minting/${row?.['orderId']}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'CONFIRMED',
    });
  });
});

it('is stored in pieces of a bounded size, whatever its characters', async () => {
  const rows = Array.from({ length: 20 }, () => ['A', IMAGE, 'Flexible', '\u0001'.repeat(60_000)]);
  const { body } = await uploadFile(
    client,
    { kind: 'metadata', chainId },
    csvOf([['name', 'imageUrl', 'utility.type', 'description'], ...rows]),
  );
  const { rows: lengths } = await database.query<{ longest: number }>(
    'select max(length(cells)) as longest from import_chunks where import_id = $1',
    [body.id],
  );
  // A row more than the bound.
  expect(lengths[0]?.longest).toBeLessThan(6 * 60_000 + 256 * 1_024 + 1_000);
});

describe('the check', () => {
  it('names every fault by row and column', async () => {
    const taken = tokenRow();
    const minted = await client.post('/minting/order', {
      chainId,
      contractAddress: tickets,
      receiverAddress,
      tokenId: taken[1],
      metadataId: await createMetadata(client),
    });
    await client.until(`/minting/${minted.body.id}`, ['CONFIRMED']);
    const columns = [...TOKEN_COLUMNS, 'attributes.Level:number', 'utility.data.event.date', 'amount', 'externalUrl'];
    const ticket = ['Ticket', 'Unused', '', 'soon', '', ''];
    const [good, other] = [tokenRow(), tokenRow()];
    const rows = [
      [...good, '', '', '', ''],
      ['0x1', '01', '', 'none', 'Other', 'Unused', 'high', '', '2', 'nowhere'],
      [...taken, '', '', '', ''],
      [...tokenRow().slice(0, 4), ...ticket],
      [...good, '', '', '', ''],
      ['0x0000000000000000000000000000000000000000', ...other.slice(1), '', '', '1', ''],
      good.slice(0, 3),
      [receiverAddress, ...other.slice(1), '', '', '', ''],
    ];
    const checked = await importFile(client, toTickets(), csvOf([columns, ...rows]));
    const found = checked.faults.map(({ row, column }: { row: number; column: string | null }) => `${row} ${column}`);
    expect(found.toSorted()).toEqual(
      [
        '3 receiverAddress',
        '3 tokenId',
        '3 name',
        '3 imageUrl',
        '3 utility.type',
        '3 attributes.Level:number',
        '3 externalUrl',
        '4 tokenId',
        ...['Event Name', 'Event Date', 'Venue', 'Zone', 'Seat', 'Transferable'].map(() => '5 attributes'),
        '5 utility.data.event.date',
        '5 utility.data.event.name',
        '5 utility.data.seat.zone',
        '5 utility.data.ticket_id',
        '6 tokenId',
        '7 receiverAddress',
        '8 null',
      ].toSorted(),
    );
    expect(checked).toMatchObject({ rows: 8, faultyRows: 6, faultCount: found.length, accepted: 0 });
    const messages = new Map(
      checked.faults.map((fault: { row: number; message: string }) => [fault.row, fault.message]),
    );
    expect(messages.get(4)).toContain(`Token ${taken[1]} exists`);
    expect(messages.get(6)).toBe('is used by row 2');
    expect(messages.get(8)).toBe('has 3 cells, and the header 10');

    expect(await start(checked.id)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('6 of 8 rows') },
    });
    expect((await start(checked.id, { skipFaulty: true })).status).toBe(200);
    expect(await ended(checked.id)).toMatchObject({ status: 'COMPLETED', accepted: 2, refused: 6 });
    const result = await resultOf(client, checked.id);
    expect(result.map(({ status }) => status === 'REFUSED')).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('names the document that another row, or another order, uses', async () => {
    const metadataId = await createMetadata(client);
    const target = { kind: 'mints', chainId, contractAddress: tickets };
    const columns = ['receiverAddress', 'tokenId', 'metadataId'];
    const rows = [tokenRow()[1], tokenRow()[1]].map((tokenId) => [receiverAddress, tokenId, metadataId]);
    const unknown = [receiverAddress, tokenRow()[1], '0'.repeat(24)];
    const checked = await importFile(client, target, csvOf([columns, ...rows, unknown]));
    expect(checked.faults).toEqual([
      { row: 4, column: 'metadataId', code: 'not_found', message: 'Metadata not found' },
      { row: 3, column: 'metadataId', code: 'not_allowed', message: 'is used by row 2' },
    ]);
  });

  it('decides which rows are left out, whatever has changed until the start', async () => {
    const other = await newClient();
    const { contractAddress } = await deployContract(other);
    const allowed = newSigner().address;
    await limit(other, { receivers: [allowed] });
    const [nameless, rival, forbidden] = [tokenRow(), tokenRow(), tokenRow()];
    const rows = [
      [allowed, nameless[1], '', ...nameless.slice(3)],
      [allowed, nameless[1], ...rival.slice(2)],
      forbidden,
      [allowed, ...tokenRow().slice(1)],
    ];
    const checked = await importFile(other, { kind: 'tokens', chainId, contractAddress }, tokensFile(rows));
    expect(checked).toMatchObject({ faultyRows: 3, faultCount: 3 });
    await limit(other, { receivers: null });
    await other.post(`/imports/${checked.id}/start`, { skipFaulty: true });
    expect(await other.until(`/imports/${checked.id}`, ['COMPLETED'])).toMatchObject({ accepted: 1, refused: 3 });
    const errors = (await resultOf(other, checked.id)).map(({ error }) => error ?? '');
    expect(errors).toEqual([
      expect.stringContaining('name'),
      'tokenId: is used by row 2',
      expect.stringContaining('receiverAddress'),
      '',
    ]);
  });

  it('keeps the first 1,000 faults and counts all', async () => {
    const rows = Array.from({ length: 1_200 }, () => ['0x1', ...tokenRow().slice(1)]);
    const checked = await importFile(client, toTickets(), tokensFile(rows));
    expect(checked).toMatchObject({ rows: 1_200, faultyRows: 1_200, faultCount: 1_200 });
    expect(checked.faults).toHaveLength(1_000);
  });

  it.each([
    ['a header without rows', tokensFile([]), 'text/csv', 400],
    ['nothing', '', 'text/csv', 400],
    ['an unknown column', 'receiverAddress,tokenId,metadataId,colour\n', 'text/csv', 400],
    ['a quote out of place', `${csvOf([TOKEN_COLUMNS])}a"b`, 'text/csv', 400],
    ['another encoding', Buffer.from('receiverAddress,tokenId', 'utf16le'), 'text/csv', 400],
    ['another media type', tokensFile(range(1)), 'application/json', 415],
    ['another character set', tokensFile(range(1)), 'text/csv; charset=euc-kr', 415],
    ['a row that is too long', `${csvOf([TOKEN_COLUMNS])}"${'x'.repeat(600_000)}"`, 'text/csv', 413],
  ])('is not made of %s, and nothing is left', async (_, file, contentType, status) => {
    const before = (await client.get('/imports')).body.items.length;
    const reply = await uploadFile(client, toTickets(), file, { 'content-type': contentType });
    expect([reply.status, typeof reply.body.code]).toEqual([status, 'string']);
    expect((await client.get('/imports')).body.items).toHaveLength(before);
  });
});

describe('a running import', () => {
  it.each([
    ['its rows are read', 'take-import'],
    ['its documents are stored', 'insert-metadata'],
    ['its orders are stored', 'accept-unlimited'],
    ['its progress is stored', 'store-import-run'],
  ])('goes on, and doubles nothing, after the reply is lost when %s', async (_, statement) => {
    const rows = range(120);
    const { id } = await importFile(client, toTickets(), tokensFile(rows));
    // Each statement names the import, the account or what they make.
    const own = statement.includes('import') ? id : tickets;
    await setFaults(
      stack.proxies.database,
      [
        {
          match: [statementTagged(statement), statement === 'insert-metadata' ? `Token ${rows[0]?.[1]}` : own],
          effect: 'lose-reply',
          times: 1,
        },
      ],
      SCOPE,
    );
    await start(id);
    for (;;) {
      const { status } = await read(id);
      if (status === 'COMPLETED') break;
      await expireLease(id);
      await cleanUpAfter(0);
    }
    expect(await read(id)).toMatchObject({ accepted: 120, refused: 0 });
    const result = await resultOf(client, id);
    const { rows: orders } = await database.query<{ orders: string; documents: string }>(
      `select count(*) as orders, count(distinct metadata_id) as documents from orders
       where contract_address = $1 and token_id = any($2)`,
      [tickets, rows.map(([, tokenId]) => tokenId)],
    );
    expect(orders).toEqual([{ orders: '120', documents: '120' }]);
    expect(new Set(result.map(({ orderId }) => orderId)).size).toBe(120);
    const last = result.at(-1);
    await client.until(`/minting/${last?.['orderId']}`, ['CONFIRMED', 'FAILED']);
    const owner = await chainClient().readContract({
      ...standard721,
      address: tickets,
      functionName: 'ownerOf',
      args: [BigInt(last?.['tokenId'] ?? 0)],
    });
    expect(owner).toBe(receiverAddress);
  });

  it('is paused, resumed and cancelled', async () => {
    const { id } = await importFile(client, toTickets(), tokensFile(range(3)));
    expect((await act(id, 'pause')).status).toBe(409);
    expect((await act(id, 'resume')).status).toBe(409);
    // Nobody works on it for now.
    await start(id);
    await ended(id);
    expect((await act(id, 'cancel')).status).toBe(409);

    const other = await importFile(client, toTickets(), tokensFile(range(1_000)));
    await start(other.id);
    const key = { 'idempotency-key': 'paused' };
    expect(await act(other.id, 'pause', key)).toMatchObject({ status: 200, body: { status: 'PAUSED' } });
    await client.until(`/imports/${other.id}`, ['PAUSED', 'COMPLETED']);
    // What has begun is finished.
    let accepted = -1;
    const isStill = async () => accepted === (accepted = (await read(other.id)).accepted);
    await expect.poll(isStill, { interval: 2_000 }).toBe(true);
    expect(accepted).toBeLessThan(1_000);
    await cleanUpAfter(30);
    expect(await read(other.id)).toMatchObject({ status: 'PAUSED', accepted });
    expect(await act(other.id, 'resume')).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    // A retry of what was undone since.
    await forgetReply('paused');
    expect(await act(other.id, 'pause', key)).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    expect(await act(other.id, 'cancel')).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect((await act(other.id, 'resume')).status).toBe(409);
    expect(new Set((await resultOf(client, other.id)).map(({ status }) => status))).toContain('NOT_ACCEPTED');
  });

  it('waits for a limit of the account, says so, and goes on', async () => {
    const limited = await newClient();
    const { contractAddress } = await deployContract(limited);
    await limit(limited, { ordersPerDay: 3 });
    const { id } = await importFile(limited, { kind: 'tokens', chainId, contractAddress }, tokensFile(range(5)));
    await limited.post(`/imports/${id}/start`, {});
    const waiting = async () => (await limited.get(`/imports/${id}`)).body;
    while ((await waiting()).waiting === null);
    expect(await waiting()).toMatchObject({
      status: 'RUNNING',
      waiting: { message: 'The account has reached its limit of orders per day', until: expect.any(String) },
    });
    expect((await resultOf(limited, id)).filter(({ orderId }) => orderId !== '')).toHaveLength(2);
    await limit(limited, { ordersPerDay: null });
    await expireLease(id);
    await cleanUpAfter(0);
    expect(await limited.until(`/imports/${id}`, ['COMPLETED'])).toMatchObject({
      accepted: 5,
      refused: 0,
      waiting: null,
    });
  });

  it('is paused when the key that started it is revoked, and goes on with another', async () => {
    const [first, second] = [await makeKey(client), await makeKey(client)];
    const { id } = await importFile(client, toTickets(), tokensFile(range(300)));
    // Not taken before the key is revoked.
    await ask(keyHeaders(first), `/imports/${id}/start`, {});
    await revoke(adminOf(client), `/keys/${first.id}`);
    expect(await ended(id)).toMatchObject({
      status: 'PAUSED',
      waiting: { message: expect.stringContaining('revoked'), until: null },
    });
    await fetch(`${stack.url}/imports/${id}/resume`, { method: 'POST', headers: keyHeaders(second) });
    expect(await ended(id)).toMatchObject({ status: 'COMPLETED', accepted: 300 });
  });

  it('needs the scopes of what it makes', async () => {
    const mint = await makeKey(client, { scopes: ['mint', 'read'] });
    const metadata = await makeKey(client, { scopes: ['metadata', 'read'] });
    const upload = (key: typeof mint, kind: string) =>
      uploadFile(
        client,
        { kind, chainId, ...(kind === 'metadata' ? {} : { contractAddress: tickets }) },
        tokensFile(range(1)),
        keyHeaders(key),
      );
    expect((await upload(mint, 'tokens')).status).toBe(403);
    expect((await upload(metadata, 'tokens')).status).toBe(403);
    expect((await upload(metadata, 'mints')).status).toBe(403);
    expect((await upload(mint, 'metadata')).status).toBe(403);
    const { id } = await importFile(client, toTickets(), tokensFile(range(1)));
    expect((await ask(keyHeaders(mint), `/imports/${id}/start`, {})).status).toBe(403);
    expect((await read(id)).status).toBe('CHECKED');
  });
});

it('is made by the commands of docs/imports.md', async () => {
  const other = await newClient();
  const { contractAddress } = await deployContract(other);
  const { key } = await makeKey(other, { scopes: ['read', 'metadata', 'mint'] });
  const cwd = await mkdtemp(join(tmpdir(), 'imports-'));
  const env = { NFT_URL: stack.url, NFT_KEY: key, CONTRACT: contractAddress };
  const { code, stdout, stderr } = await runInShell((await commandsOf('docs/imports.md')).join('\n'), { env, cwd });
  await rm(cwd, { recursive: true });
  expect([code, stderr]).toEqual([0, '']);
  const [faults, header, row, ...more] = stdout.trimEnd().split(/\r?\n/);
  expect([faults, header, more]).toEqual(['0', 'row,status,metadataId,orderId,tokenId,txHash,error', []]);
  const [, , metadataId = '', orderId = ''] = row?.split(',') ?? [];
  expect(await other.until(`/minting/${orderId}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
    status: 'CONFIRMED',
    metadataId,
  });
});

it('is refused while the account has 100 others that have not ended', async () => {
  const other = await newClient();
  const target = { kind: 'metadata', chainId };
  const file = csvOf([TOKEN_COLUMNS.slice(2), tokenRow().slice(2)]);
  const { id } = await importFile(other, target, file);
  await database.query(
    `insert into imports (id, corporate_account_id, chain_id, kind, status, bytes, caller, next_try_at, created_at, updated_at)
     select left(id, 12) || lpad(to_hex(n), 12, '0'), corporate_account_id, chain_id, kind, status, bytes, caller, next_try_at, created_at, updated_at
     from imports, generate_series(1, 99) as n where id = $1`,
    [id],
  );
  expect(await uploadFile(other, target, file)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('100 unfinished imports') },
  });
  await other.post(`/imports/${id}/cancel`, '');
  expect((await uploadFile(other, target, file)).status).toBe(201);
});

it('is removed 30 days after its last change, and a file that broke off after an hour', async () => {
  const { id } = await importFile(client, toTickets(), tokensFile(range(1)));
  const broken = await importFile(client, toTickets(), tokensFile(range(1)));
  await database.query("update imports set updated_at = now() - interval '29 days' where id = $1", [id]);
  await database.query(
    "update imports set status = 'UPLOADING', updated_at = now() - interval '2 hours' where id = $1",
    [broken.id],
  );
  await cleanUpAfter(0);
  const statusOf = async (one: string) => (await client.get(`/imports/${one}`)).status;
  expect([await statusOf(id), await statusOf(broken.id)]).toEqual([200, 404]);
  await database.query("update imports set updated_at = now() - interval '31 days' where id = $1", [id]);
  await cleanUpAfter(0);
  expect(await statusOf(id)).toBe(404);
  const { rows } = await database.query('select from import_chunks where import_id = any($1)', [[id, broken.id]]);
  expect(rows).toEqual([]);
});

it('that is removed cannot go on with a part of its rows', async () => {
  const [paused, started] = [
    await importFile(client, toTickets(), tokensFile(range(1))),
    await importFile(client, toTickets(), tokensFile(range(1))),
  ];
  await database.query(
    "update imports set status = case id when $1 then 'PAUSED' else status end, updated_at = now() - interval '31 days' where id = any($2)",
    [paused.id, [paused.id, started.id]],
  );
  const match = statementTagged('remove-imports');
  await setFaults(stack.proxies.database, [{ match, effect: 'refuse', times: 100 }], SCOPE);
  await expect(cleanUpAfter(0)).rejects.toThrow('The cleanup job failed');
  const { rows } = await database.query('select from import_chunks where import_id = any($1)', [
    [paused.id, started.id],
  ]);
  expect(rows).toEqual([]);
  expect((await act(paused.id, 'resume')).body.message).toBe('The import is CANCELLED');
  expect((await start(started.id)).body.message).toBe('The import is CANCELLED');
  await setFaults(stack.proxies.database, [], SCOPE);
  await cleanUpAfter(0);
  expect((await client.get(`/imports/${paused.id}`)).status).toBe(404);
});

const mintsFile = (count: number, metadataId = '0'.repeat(24)) =>
  csvOf([
    ['receiverAddress', 'tokenId', 'metadataId'],
    ...Array.from({ length: count }, (_, index) => [receiverAddress, String(index + 1), metadataId]),
  ]);
const checkedOf = async (one: Client, ids: readonly string[]): Promise<number> => {
  const imports = await Promise.all(ids.map(async (id) => (await one.get(`/imports/${id}`)).body));
  return imports.reduce((sum, { rowsChecked }) => sum + rowsChecked, 0);
};
const uploadOf = async (one: Client, target: Readonly<Record<string, string>>, file: string): Promise<string> => {
  const { status, body } = await uploadFile(one, target, file);
  expect(status).toBe(201);
  return body.id;
};

describe('accounts with imports', () => {
  it('take turns, however many imports each has', async () => {
    const [busy, calm] = await Promise.all([newClient(), newClient()]);
    const file = csvOf([TOKEN_COLUMNS.slice(2), ...range(1_000).map((row) => row.slice(2))]);
    const ofBusy = await Promise.all(
      Array.from({ length: 8 }, () => uploadOf(busy, { kind: 'metadata', chainId }, file)),
    );
    const id = await uploadOf(calm, { kind: 'metadata', chainId }, file.split('\r\n').slice(0, 501).join('\r\n'));
    const before = await checkedOf(busy, ofBusy);
    expect(await calm.until(`/imports/${id}`, ['CHECKED'])).toMatchObject({ rows: 500 });
    // What one account has had in the time of five chunks of another.
    expect((await checkedOf(busy, ofBusy)) - before).toBeLessThan(2_000);
    for (const one of ofBusy) await busy.post(`/imports/${one}/cancel`, '');
  });

  it('do not wait for another whose contract burns gas in a view', async () => {
    const [hostile, calm] = await Promise.all([newClient(), newClient()]);
    const contractAddress = await deployElsewhere(hostile.account.walletAddress);
    const contract = { chainId, contractAddress, ercStandard: '721', contractType: 'standard' };
    expect((await hostile.post('/contracts/register', contract)).status).toBe(201);
    await setCode(contractAddress, BURNS_GAS);
    const metadataId = await createMetadata(hostile);
    const ofHostile = await Promise.all(
      Array.from({ length: 8 }, () =>
        uploadOf(hostile, { kind: 'mints', chainId, contractAddress }, mintsFile(2_000, metadataId)),
      ),
    );
    const file = csvOf([TOKEN_COLUMNS.slice(2), ...range(500).map((row) => row.slice(2))]);
    const id = await uploadOf(calm, { kind: 'metadata', chainId }, file);
    expect(await calm.until(`/imports/${id}`, ['CHECKED'])).toMatchObject({ rows: 500 });
    expect(await checkedOf(hostile, ofHostile)).toBeLessThan(8 * 2_000);
    for (const one of ofHostile) await hostile.post(`/imports/${one}/cancel`, '');
  });
});
