import { randomBytes } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { adminOf, ask, keyHeaders, makeKey } from '../fixtures/keys.ts';
import { certificateInput, couponInput, flexibleInput, ticketInput, type Loose } from '../fixtures/metadata-inputs.ts';

/** Most of what a document may have. */
const large = { type: 'Flexible', data: { status: 'Unused', story: 'x'.repeat(400_000) } };

let client: Client;
let contractAddress: Address;
let lastToken = 0;
beforeAll(async () => {
  client = await newClient();
  ({ contractAddress } = await deployContract(client));
});

const read = async (id: string): Promise<Reply['body']> => (await client.get(`/metadata/${id}`)).body;
const edit = (id: string, version: number | string, patch: unknown): Promise<Reply> =>
  client.patch(`/metadata/${id}`, patch, { 'if-match': typeof version === 'number' ? `"${version}"` : version });
const versionsOf = async (id: string, query = ''): Promise<Reply['body']> =>
  (await client.get(`/metadata/${id}/versions${query}`)).body;

async function orderMint(metadataId: string) {
  lastToken += 1;
  const order = { chainId: '43114', contractAddress, receiverAddress, tokenId: String(lastToken), metadataId };
  const { status, body } = await client.post('/minting/order', order);
  if (status !== 201) throw new Error(JSON.stringify(body));
  const confirm = async () => {
    const end = await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED']);
    if (end['status'] !== 'CONFIRMED') throw new Error(JSON.stringify(end));
  };
  return { path: `/metadata/${contractAddress}/${order.tokenId}`, confirmed: confirm() };
}

describe('PATCH /metadata/{id}', () => {
  it('changes what it names and nothing else, before and after the mint, and the public document at once', async () => {
    const created = (await client.post('/metadata', { ...ticketInput, description: 'Front row' })).body;
    const patch = {
      name: 'Zone B, seat 7',
      description: null,
      backgroundColor: 'ff8800',
      utility: { validationUrl: 'https://example.com/check', data: { seat: { zone: 'B', row: 3 } } },
    };
    const { status, headers, body } = await edit(created._id, 1, patch);
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    const data = { ...ticketInput.utility.data, seat: { zone: 'B', row: 3 } };
    const { description: _, ...rest } = created.standardFields;
    expect(body).toEqual({
      ...created,
      ...patch,
      utility: { type: 'Ticket', validationUrl: 'https://example.com/check', data },
      standardFields: {
        ...rest,
        name: 'Zone B, seat 7',
        background_color: 'ff8800',
        utility: { type: 'Ticket', validation_url: 'https://example.com/check', data },
      },
      version: 2,
      updatedAt: expect.any(String),
    });
    expect(await read(created._id)).toEqual(body);

    const { path, confirmed } = await orderMint(created._id);
    await confirmed;
    expect((await call(path)).body).toEqual(body.standardFields);
    const attributes = created.attributes.map((trait: Loose) =>
      trait.traitType === 'Zone' ? { ...trait, value: 'C' } : trait,
    );
    const edited = await edit(created._id, 2, { attributes });
    expect([edited.status, edited.body.attributes]).toEqual([200, attributes]);
    expect((await call(path)).body).toEqual(edited.body.standardFields);
  });

  it('needs the current version in If-Match', async () => {
    const id = await createMetadata(client);
    const { headers } = await client.get(`/metadata/${id}`);
    expect(headers.get('etag')).toBe('"1"');
    expect((await client.patch(`/metadata/${id}`, { name: 'B' })).body).toMatchObject({ statusCode: 428 });
    expect((await edit(id, 7, { name: 'B' })).body).toMatchObject({
      statusCode: 412,
      message: 'The metadata has version 1, not 7',
      version: 1,
      currentStatus: 'Unused',
    });
    for (const tag of ['1', '*', '"1", "2"', '"0"', '"x"'])
      expect((await edit(id, tag, { name: 'B' })).status).toBe(400);
    expect((await edit(id, 'W/"1"', { name: 'B' })).body).toMatchObject({ name: 'B', version: 2 });
    expect((await edit(id, 1, { name: 'C' })).status).toBe(412);
  });

  it('of 20 edits of one version at once is made once, and every version is kept', async () => {
    const id = await createMetadata(client);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => edit(id, 1, { name: `Name ${index}` })));
    expect(replies.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(await read(id)).toEqual(replies.find(({ status }) => status === 200)?.body);
    expect((await versionsOf(id)).items.map((item: Loose) => [item.version, item.standardFields.name])).toEqual([
      [1, 'A token'],
    ]);
  });

  it('and a status set at the same time are both kept, or the edit is refused', async () => {
    const id = await createMetadata(client);
    const replies = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => edit(id, 1, { description: `Text ${index}` })),
      ...Array.from({ length: 10 }, (_, index) => client.post(`/metadata/${id}/status`, { status: `S${index}` })),
    ]);
    const made = replies.filter(({ status }) => status === 200);
    const now = await read(id);
    expect(now.version).toBe(1 + made.length);
    expect(now.currentStatus).toMatch(/^S\d$/);
    expect([now.utility.data.status, now.standardFields.utility.data.status]).toEqual(Array(2).fill(now.currentStatus));
    const { items } = await versionsOf(id);
    expect(items.map((item: Loose) => item.version)).toEqual(
      Array.from({ length: made.length }, (_, i) => made.length - i),
    );
    const edited = replies.slice(0, 10).some(({ status }) => status === 200);
    expect(now.description === null).toBe(!edited);
  });

  it.each([
    ['a required trait is missing', { attributes: [] }, '$.attributes'],
    ['a required key is removed', { utility: { data: { ticket_id: null } } }, '$.utility.data.ticket_id'],
    ['a value has the wrong type', { name: 5 }, '$.name'],
    ['a key is unknown', { colour: 'red' }, '$.colour'],
    ['a URL is no URL', { imageUrl: 'javascript:alert(1)' }, '$.image'],
    ['the type changes', { utility: { type: 'Coupon' } }, '$.utility.type'],
    ['the type becomes Certificate', { utility: { type: 'Certificate' } }, '$.utility.type'],
    ['the chain changes', { chainId: '43113' }, '$.chainId'],
    ['the schema is of another type', { schemaVersion: 'coupon_schema@1.0.0' }, '$.schemaVersion'],
    ['it supplies a hash', { metadataHash: `0x${'5e'.repeat(32)}` }, '$.metadataHash'],
    [
      'it is too deep',
      JSON.parse(`{"utility":{"data":${'{"a":'.repeat(90)}1${'}'.repeat(90)}}}`),
      expect.stringContaining('.a.a'),
    ],
    ['it is a list', [], '$'],
  ])('is 400 with the place and changes nothing if %s', async (_, patch, path) => {
    const created = (await client.post('/metadata', ticketInput)).body;
    const { status, body } = await edit(created._id, 1, patch);
    expect([status, body.message]).toEqual([400, 'Metadata validation failed']);
    expect(body.errors.map((issue: Loose) => issue.path)).toEqual(expect.arrayContaining([path]));
    expect(await read(created._id)).toEqual(created);
  });

  it('cannot make a document larger than a request may be', async () => {
    const id = await createMetadata(client, { utility: large });
    const { status } = await edit(id, 1, { utility: { data: { more: 'y'.repeat(200_000) } } });
    expect([status, (await read(id)).version]).toEqual([413, 1]);
  });

  it('is 409 for a certificate, 404 for another account and 403 without the scope', async () => {
    const certificate = (await client.post('/metadata', certificateInput)).body._id;
    expect((await edit(certificate, 1, { name: 'B' })).status).toBe(409);
    expect((await client.post(`/metadata/${certificate}/freeze`, {})).status).toBe(409);
    const id = await createMetadata(client);
    const other = await newClient();
    expect((await other.patch(`/metadata/${id}`, { name: 'B' }, { 'if-match': '"1"' })).status).toBe(404);
    expect((await other.post(`/metadata/${id}/freeze`, {})).status).toBe(404);
    expect((await other.get(`/metadata/${id}/versions`)).status).toBe(404);
    const gate = keyHeaders(await makeKey(client, { scopes: ['status', 'read'] }));
    const headers = { ...gate, 'content-type': 'application/json', 'if-match': '"1"' };
    expect((await call(`/metadata/${id}`, { method: 'PATCH', headers, body: '{}' })).status).toBe(403);
    expect((await read(id)).version).toBe(1);
  });

  it('changes a status only by the rules', async () => {
    const own = await newClient();
    const headers = { ...keyHeaders(await makeKey(own)), 'content-type': 'application/json' };
    const body = JSON.stringify({ rules: { Flexible: { Unused: ['Used'], Used: [] } } });
    expect((await call('/metadata/status-rules', { method: 'PUT', headers, body })).status).toBe(200);
    const id = await createMetadata(own);
    const patch = (version: number, fields: unknown) =>
      own.patch(`/metadata/${id}`, fields, { 'if-match': `"${version}"` });
    expect((await patch(1, { utility: { data: { status: 'Used' } } })).body.currentStatus).toBe('Used');
    for (const status of ['Unused', 'Stolen', null]) {
      const reply = await patch(2, { utility: { data: { status } } });
      expect([reply.status, reply.body.currentStatus, reply.body.version]).toEqual([409, 'Used', 2]);
    }
    expect((await patch(2, { name: 'B', utility: { data: { status: 'Used' } } })).body).toMatchObject({ name: 'B' });
  });
});

/** Edits a document, and reads the public one, which fills the cache. @returns its last version. */
async function editWhile(id: string, path: string, isGoing: () => boolean): Promise<number> {
  for (let version = 1; ; version += 1) {
    if (!isGoing() && version > 10) return version;
    const { status, body } = await edit(id, version, { name: `Edition ${version + 1}` });
    expect([status, body.version]).toEqual([200, version + 1]);
    await call(path);
  }
}

it('edits while a mint is under way leave the token with its public document as it was edited last', async () => {
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const id = await createMetadata(client);
      const { path, confirmed } = await orderMint(id);
      const minting = { isDone: false };
      const editing = editWhile(id, path, () => !minting.isDone);
      await confirmed;
      minting.isDone = true;
      const version = await editing;
      const document = await read(id);
      expect([document.version, document.name]).toEqual([version, `Edition ${version}`]);
      expect((await call(path)).body).toEqual(document.standardFields);
    }),
  );
});

describe('POST /metadata/{id}/freeze', () => {
  it('ends editing for good, not the status, and can be repeated', async () => {
    const id = await createMetadata(client);
    const frozen = await client.post(`/metadata/${id}/freeze`, {});
    expect([frozen.status, frozen.body]).toMatchObject([200, { version: 1, frozenAt: expect.stringMatching(/Z$/) }]);
    expect((await edit(id, 1, { name: 'B' })).body).toMatchObject({
      statusCode: 409,
      message: expect.stringContaining('frozen'),
    });
    const again = await client.post(`/metadata/${id}/freeze`, {});
    expect([again.status, again.body.frozenAt]).toEqual([200, frozen.body.frozenAt]);
    const used = await client.post(`/metadata/${id}/status`, { status: 'Used' });
    expect(used.body).toMatchObject({ currentStatus: 'Used', version: 2, frozenAt: frozen.body.frozenAt });
  });

  it('and an edit at the same time: no edit is made after the reply', async () => {
    const id = await createMetadata(client);
    const edits = Array.from({ length: 10 }, (_, index) => edit(id, 1, { name: `Name ${index}` }));
    const { body: frozen } = await client.post(`/metadata/${id}/freeze`, {});
    await Promise.all(edits);
    expect((await read(id)).name).toBe(frozen.name);
  });
});

describe('GET /metadata/{id}/versions', () => {
  it('has every earlier version, newest first, with who replaced it, and the audit log has the change', async () => {
    const key = await makeKey(client);
    const created = (await client.post('/metadata', flexibleInput)).body;
    const headers = { ...keyHeaders(key), 'content-type': 'application/json' };
    const patch = { method: 'PATCH', headers: { ...headers, 'if-match': '"1"' }, body: '{"name":"B"}' };
    expect((await call(`/metadata/${created._id}`, patch)).status).toBe(200);
    await client.post(`/metadata/${created._id}/status`, { status: 'Used' });
    const [second, first] = (await versionsOf(created._id)).items;
    const { schemaVersion, standardFields } = created;
    expect([first, second]).toEqual([
      {
        version: 1,
        schemaVersion,
        currentStatus: null,
        standardFields,
        replacedAt: expect.stringMatching(/Z$/),
        replacedBy: 'key',
        replacedByKeyId: key.id,
      },
      expect.objectContaining({
        version: 2,
        standardFields: { ...standardFields, name: 'B' },
        replacedBy: 'global',
        replacedByKeyId: null,
      }),
    ]);
    const { body } = await ask(adminOf(client), `/audit?resourceId=${created._id}&route=/metadata/{id}`);
    expect(body.items).toEqual([expect.objectContaining({ method: 'PATCH', keyId: key.id, statusCode: 200 })]);
  });

  it('has pages', async () => {
    const id = await createMetadata(client);
    for (let version = 1; version <= 5; version += 1) await edit(id, version, { name: `Name ${version + 1}` });
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Loose = await versionsOf(id, `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map((item: Loose) => item.version));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
    expect((await client.get(`/metadata/${id}/versions?cursor=x`)).status).toBe(400);
  });

  it('has pages of at most 4 MB, so that large documents can be read, too', async () => {
    const id = await createMetadata(client, { utility: large });
    for (let index = 0; index < 12; index += 1) await client.post(`/metadata/${id}/status`, { status: `S${index}` });
    const first = await versionsOf(id, '?limit=100');
    const second = await versionsOf(id, `?limit=100&cursor=${first.nextCursor}`);
    const seen = [first, second].map(({ items }) => items.map((item: Loose) => item.version));
    expect(seen).toEqual([
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
      [2, 1],
    ]);
    expect([first.nextCursor, second.nextCursor]).toEqual(['3', null]);
  });

  it('needs a key, whatever has the place of the id', async () => {
    const id = await createMetadata(client);
    for (const name of [id, contractAddress]) expect((await call(`/metadata/${name}/versions`)).status).toBe(401);
  });
});

/** Text that the database cannot compress. */
const randomText = (length: number) => randomBytes(length).toString('base64').slice(0, length);

describe('a small request', () => {
  it('cannot keep copies of a large document without end: a day has at most 8 MB of earlier versions', async () => {
    const size = 450_000;
    const utility = { type: 'Flexible', data: { status: 'Unused', story: randomText(size) } };
    const id = await createMetadata(client, { utility });
    let version = 1;
    let refused: Reply;
    do {
      refused = await edit(id, version, { name: `Name ${version + 1}` });
      version += 1;
    } while (refused.status === 200 && version < 40);
    const edits = version - 2;
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(edits * size).toBeLessThanOrEqual(8 * 1_024 * 1_024);
    expect(edits).toBeGreaterThan(10);
    // What keeps no copy is possible, and so is an edit of another document.
    expect((await client.post(`/metadata/${id}/status`, { status: 'Used' })).status).toBe(200);
    expect((await edit(await createMetadata(client), 1, { name: 'B' })).status).toBe(200);
    // Nor do changes of the status hide the copies.
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query(
      `insert into metadata_versions (id, corporate_account_id, metadata_id, version, schema_version, current_status, replaced_at)
       select md5($1 || n)::varchar(24), corporate_account_id, id, version + n - 1, schema_version, 'Used', now()
       from metadata, generate_series(1, 1100) n where id = $1`,
      [id],
    );
    await database.query('update metadata set version = version + 1100 where id = $1', [id]);
    await database.end();
    expect((await edit(id, (await read(id)).version, { name: 'Z' })).status).toBe(429);
    const page = await versionsOf(id, `?limit=1&cursor=2`);
    expect(page.items[0]).toMatchObject({ version: 1, standardFields: { utility } });
  });

  it('with an Idempotency-Key stores no large reply: its retry makes no second change', async () => {
    const id = await createMetadata(client, { utility: large });
    const headers = { 'idempotency-key': `large-${id}` };
    const change = () => client.post(`/metadata/${id}/status`, { status: 'Used' }, headers);
    const [first, second] = [await change(), await change()];
    expect([first.status, second.status, first.body.version]).toEqual([200, 200, 2]);
    expect(second.body).toEqual(first.body);
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    const { rows } = await database.query('select body from idempotency_keys where key = $1', [`large-${id}`]);
    await database.end();
    expect(rows).toEqual([{ body: null }]);
  });
});

describe('a change of the status', () => {
  it('keeps the old status, not a copy of the document, and every version can be read', async () => {
    const input = { ...couponInput, description: 'x'.repeat(9_000) };
    const created = (await client.post('/metadata', input)).body;
    const documents = [created.standardFields];
    for (const status of ['Held', 'Used']) {
      documents.push((await client.post(`/metadata/${created._id}/status`, { status })).body.standardFields);
    }
    const edited = await client.patch(`/metadata/${created._id}`, { description: 'Short' }, { 'if-match': '"3"' });
    expect(edited.status).toBe(200);
    documents.push(edited.body.standardFields);
    await client.post(`/metadata/${created._id}/status`, { status: 'Lost' });
    const { items } = await versionsOf(created._id);
    expect(items.map((item: Loose) => item.standardFields)).toEqual(documents.toReversed());
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    const { rows } = await database.query<{ is_small: boolean }>(
      'select version, standard_fields is null as is_small from metadata_versions where metadata_id = $1 order by version',
      [created._id],
    );
    await database.end();
    expect(rows.map((row) => row.is_small)).toEqual([true, true, false, true]);
  });

  it('of a document without one keeps the document', async () => {
    const created = (await client.post('/metadata', { ...flexibleInput, attributes: [] })).body;
    await client.post(`/metadata/${created._id}/status`, { status: 'New' });
    await client.post(`/metadata/${created._id}/status`, { status: 'Old' });
    const { items } = await versionsOf(created._id);
    expect(items.at(-1).standardFields).toEqual(created.standardFields);
    expect(items.map((item: Loose) => item.currentStatus)).toEqual(['New', created.currentStatus]);
  });
});
