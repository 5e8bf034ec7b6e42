import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address } from 'viem';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  orderMint,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { lookupOf } from '../fixtures/token-lookup.ts';
import { allowErrors } from '../record/service-errors.ts';
import { certificateInput, changed, couponInput, flexibleInput, ticketInput } from '../fixtures/metadata-inputs.ts';

let client: Client;
let otherClient: Client;
let contract: Address;
let multiToken: Address;
let nextToken = 1;

beforeAll(async () => {
  [client, otherClient] = await Promise.all([newClient(), newClient()]);
  [contract, multiToken] = await Promise.all([
    deployContract(client).then(({ contractAddress }) => contractAddress),
    deployContract(client, { ercStandard: '1155' }).then(({ contractAddress }) => contractAddress),
  ]);
});

/** Mints a token with this metadata. @returns its public path. */
async function mint(metadataId: string, fields: Record<string, unknown> = {}): Promise<string> {
  const tokenId = String(nextToken);
  nextToken += 1;
  const { path, confirmed } = await orderMint(client, { contractAddress: contract, tokenId, metadataId, ...fields });
  await confirmed();
  return path;
}

const setStatus = async (metadataId: string, status: unknown, as = client) =>
  await as.post(`/metadata/${metadataId}/status`, { status });

/** A document as read by its account. */
async function read(metadataId: string): Promise<Reply['body']> {
  return (await client.get(`/metadata/${metadataId}`)).body;
}

const withStatusTraitOnly = (attributes: { trait_type?: string; traitType?: string }[]) =>
  attributes.filter((trait) => (trait.trait_type ?? trait.traitType) === 'Status');

/** Every field that contains the status. */
const places = (body: Reply['body']) => [
  body.currentStatus,
  body.utility.data.status,
  body.standardFields.utility.data.status,
  ...withStatusTraitOnly(body.attributes).map((trait) => (trait as { value?: unknown }).value),
  ...withStatusTraitOnly(body.standardFields.attributes).map((trait) => (trait as { value?: unknown }).value),
];

/** A valid body of exactly this many bytes. */
const bodyOf = (bytes: number) => {
  const { type, data } = flexibleInput.utility;
  const body = JSON.stringify({ ...flexibleInput, utility: { type, data: { ...data, story: '' } } });
  return body.replace('"story":""', `"story":"${'x'.repeat(bytes - body.length)}"`);
};

describe('POST /metadata', () => {
  it('stores a ticket with all derived fields, linked to no token, whatever token the request names', async () => {
    const { status, body } = await client.post('/metadata', {
      ...ticketInput,
      description: 'Front row',
      externalUrl: 'https://example.com/',
      contractAddress: contract,
      tokenId: '1',
      animationUrl: 'https://example.com/ticket.mp4',
      backgroundColor: 'FF8800',
      utility: { ...ticketInput.utility, validationUrl: 'https://example.com/check' },
    });
    expect(status).toBe(201);
    const attributes = [
      { traitType: 'Event Name', value: 'Winter concert' },
      { traitType: 'Event Date', value: 1_893_456_000, displayType: 'date' },
      { traitType: 'Venue', value: 'Town hall' },
      { traitType: 'Zone', value: 'A' },
      { traitType: 'Seat', value: 12, displayType: 'number' },
      { traitType: 'Transferable', value: 'Yes' },
      { traitType: 'Status', value: 'Unused' },
    ];
    expect(body).toEqual({
      _id: expect.stringMatching(/^(?!0{24})[0-9a-f]{24}$/),
      chainId: '43114',
      contractAddress: '',
      tokenId: '',
      holder: null,
      name: ticketInput.name,
      description: 'Front row',
      imageUrl: ticketInput.imageUrl,
      externalUrl: 'https://example.com/',
      animationUrl: 'https://example.com/ticket.mp4',
      backgroundColor: 'FF8800',
      attributes,
      utility: { type: 'Ticket', validationUrl: 'https://example.com/check', data: ticketInput.utility.data },
      schemaVersion: 'ticket_schema@1.0.0',
      currentStatus: 'Unused',
      standardFields: {
        name: ticketInput.name,
        description: 'Front row',
        image: ticketInput.imageUrl,
        external_url: 'https://example.com/',
        animation_url: 'https://example.com/ticket.mp4',
        background_color: 'FF8800',
        attributes: attributes.map(({ traitType, value, displayType }) => ({
          trait_type: traitType,
          value,
          ...(displayType === undefined ? {} : { display_type: displayType }),
        })),
        utility: { type: 'Ticket', validation_url: 'https://example.com/check', data: ticketInput.utility.data },
      },
      metadataHash: null,
      version: 1,
      frozenAt: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: body.createdAt,
    });
    expect((await call(`/metadata/${contract}/1`)).status).toBe(404);
  });

  it.each([
    [5, 'one'],
    [null, {}],
  ])('takes whatever is in contractAddress and tokenId, and ignores it: %j, %j', async (contractAddress, tokenId) => {
    const { status, body } = await client.post('/metadata', { ...flexibleInput, contractAddress, tokenId });
    expect([status, body.contractAddress, body.tokenId]).toEqual([201, '', '']);
  });

  it('reports every error of an invalid ticket at once', async () => {
    const { status, body } = await client.post(
      '/metadata',
      changed(ticketInput, (copy) => {
        delete copy.chainId;
        delete copy.name;
        copy.imageUrl = 'no url';
        copy.attributes = copy.attributes.slice(2);
        copy.attributes[0].value = 5;
        delete copy.utility.data.ticket_id;
        copy.utility.data.event.date = '2030-01-01';
      }),
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, message: 'Metadata validation failed', path: '/metadata' });
    expect(body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      '$.attributes',
      '$.attributes',
      '$.attributes[0].value',
      '$.chainId',
      '$.image',
      '$.name',
      '$.utility.data.event.date',
      '$.utility.data.ticket_id',
    ]);
    for (const error of body.errors) {
      expect(error).toEqual({
        path: expect.any(String),
        code: expect.any(String),
        message: expect.any(String),
        schemaVersion: 'ticket_schema@1.0.0',
        type: 'Ticket',
      });
    }
    const messages = body.errors.map(({ message }: { message: string }) => message).join('\n');
    for (const named of ['"Event Name"', '"Event Date"', '"ticket_id"', '"name"', '"chainId"']) {
      expect(messages).toContain(named);
    }
  });

  it('refuses unknown keys, each by name, but keeps those of utility.data', async () => {
    const data = { own: { nested: [1] } };
    const utility = { type: 'Flexible', data };
    const refused = await client.post('/metadata', { ...flexibleInput, utility, animation_url: 'x', externalURL: 'x' });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe('Metadata validation failed');
    expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual(['$.animation_url', '$.externalURL']);
    const metadataId = await createMetadata(client, { ...flexibleInput, utility });
    expect((await call(await mint(metadataId))).body.utility.data).toEqual(data);
  });

  it.each(['null', '[]', '"text"', '5', '[[]]'])('replies to the body %s with one metadata error', async (body) => {
    const reply = await client.post('/metadata', body);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      message: 'Metadata validation failed',
      errors: [
        {
          path: '$',
          code: 'wrong_type',
          message: 'must be an object',
          schemaVersion: 'opensea_flexible@1.0.0',
          type: null,
        },
      ],
    });
  });

  it('replies with 400 to invalid JSON and to excessive nesting', async () => {
    for (const body of ['', '{"name":', `{"a":${'['.repeat(250_000)}`]) {
      expect([body.slice(0, 10), (await client.post('/metadata', body)).status]).toEqual([body.slice(0, 10), 400]);
    }
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const { status, body } = await client.post(
      '/metadata',
      JSON.stringify(flexibleInput).replace('"data":{}', `"data":{"deep":${deep}}`),
    );
    expect([status, body.errors.length, body.errors[0].message]).toEqual([
      400,
      1,
      'must not be nested deeper than 64 levels',
    ]);
  });

  it('stores unusual but valid values unchanged', async () => {
    const data = {
      status: '"; drop table metadata; -- \\ \u2028 🎟 \u0001',
      'odd "key" \\ $ {} ключ 🎟': [1e21, 5e-324, -0, 1.7976931348623157e308, 0.1, true, null, [], {}],
      constructor: { prototype: 1 },
    };
    const { status, body } = await client.post('/metadata', {
      ...flexibleInput,
      name: ' \ttext with\nlines\r\u007f',
      utility: { type: 'Flexible', data },
    });
    expect(status).toBe(201);
    expect(body.utility.data).toEqual({
      ...data,
      'odd "key" \\ $ {} ключ 🎟': [1e21, 5e-324, 0, 1.7976931348623157e308, 0.1, true, null, [], {}],
    });
    expect(body.standardFields.utility.data).toEqual(body.utility.data);
    expect(body.name).toBe(' \ttext with\nlines\r\u007f');
    expect(body.currentStatus).toBe(data.status);
  });

  describe('its limit of 512 KB', () => {
    it('accepts 524,288 bytes and refuses one more', async () => {
      expect((await client.post('/metadata', bodyOf(524_288))).status).toBe(201);
      const { status, body } = await client.post('/metadata', bodyOf(524_289));
      expect([status, body.statusCode, body.message]).toEqual([413, 413, 'The body exceeds the limit of 512 KB']);
    });

    it('refuses 513 KB of invalid JSON with 413, without parsing', async () => {
      expect((await client.post('/metadata', '{'.repeat(513 * 1_024))).status).toBe(413);
    });

    it('refuses a body without Content-Length as soon as it is too long', async () => {
      const piece = new Uint8Array(1_024).fill('{'.charCodeAt(0));
      let sent = 0;
      const body = new ReadableStream({
        pull(controller) {
          sent += 1;
          if (sent > 513) controller.close();
          else controller.enqueue(piece);
        },
      });
      const { status } = await call('/metadata', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
          'x-corporate-id': client.account.corporateId,
        },
        body,
        duplex: 'half',
      });
      expect(status).toBe(413);
    });
  });
});

describe('the link to a token', () => {
  it('is made only by the confirmed mint', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    await setStatus(metadataId, 'Active');
    expect(await read(metadataId)).toMatchObject({ contractAddress: '', tokenId: '' });
    // A mint that reverts links nothing.
    const refused = await client.post('/minting/order', {
      chainId: '43114',
      contractAddress: contract,
      receiverAddress: contract,
      tokenId: '999999',
      metadataId,
    });
    expect(await client.until(`/minting/${refused.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'FAILED',
    });
    expect(await read(metadataId)).toMatchObject({ contractAddress: '', tokenId: '' });

    const path = await mint(metadataId);
    expect(await read(metadataId)).toMatchObject({
      contractAddress: contract,
      tokenId: path.split('/').at(-1),
      currentStatus: 'Active',
    });
  });

  it('keeps its ERC-1155 token: more units by a free document leave it, and it takes no other token', async () => {
    const first = await createMetadata(client, { name: 'First' });
    const token = { contractAddress: multiToken, tokenId: '500', amount: 2 };
    const path = await mint(first, token);
    // The cache is refreshed once the mint has ended.
    const name = async () => (await call(path)).body.name;
    await expect.poll(name).toBe('First');

    const second = await createMetadata(client, { name: 'Second' });
    const other = { chainId: '43114', receiverAddress, metadataId: second, ...token };
    const occupancy = await client.post('/minting/occupancy/check', {
      chainId: '43114',
      contractAddress: multiToken,
      tokenId: '500',
      metadataId: second,
    });
    expect(occupancy.body).toMatchObject({
      available: true,
      reasons: [],
      notes: [expect.any(String), `Token 500 keeps its public document, of metadata ${first}`],
      metadataContext: { linkedContractAddress: null, linkedTokenId: null },
    });
    const single = await client.post('/minting/order', other);
    const batch = await client.post('/minting/orders/batch', { orders: [other, { ...other, metadataId: first }] });
    expect(batch.body).toMatchObject({ accepted: 2, refused: 0 });
    const ids = [single.body.id, ...batch.body.results.map(({ order }: { order: { id: string } }) => order.id)];
    for (const id of ids) await client.until(`/minting/${id}`, ['CONFIRMED']);
    expect(await read(second)).toMatchObject({ contractAddress: '', tokenId: '' });
    await setStatus(second, 'Used');
    expect(await name()).toBe('First');
    expect((await client.post('/minting/order', { ...other, metadataId: first, tokenId: '501' })).status).toBe(409);

    // The document that no token has is free for another one.
    const next = await client.post('/minting/order', { ...other, tokenId: '501' });
    await client.until(`/minting/${next.body.id}`, ['CONFIRMED']);
    expect(await read(second)).toMatchObject({ contractAddress: multiToken, tokenId: '501' });
    expect((await client.post('/minting/order', other)).status).toBe(409);
    expect(await name()).toBe('First');
  });

  it('is the only one of its ERC-1155 token, also if orders with several were accepted before one was linked', async () => {
    const [first, second] = [
      await createMetadata(client, { name: 'First' }),
      await createMetadata(client, { name: 'Second' }),
    ];
    const order = { chainId: '43114', contractAddress: multiToken, receiverAddress, tokenId: '502', amount: 1 };
    const { body } = await client.post('/minting/orders/batch', {
      orders: [first, second].map((metadataId) => ({ ...order, metadataId })),
    });
    for (const result of body.results) await client.until(`/minting/${result.order.id}`, ['CONFIRMED']);
    const tokens = await Promise.all([first, second].map(async (id) => (await read(id)).tokenId));
    expect(new Set(tokens)).toEqual(new Set(['', '502']));
    const linked = tokens[0] === '502' ? 'First' : 'Second';
    await expect.poll(async () => (await call(`/metadata/${multiToken}/502`)).body.name).toBe(linked);
  });
});

describe('POST /metadata/:id/status', () => {
  it.each([
    ['ticket', changed(ticketInput, (copy) => copy.attributes.unshift({ traitType: 'Status', value: 'mine' })), 0],
    ['coupon', couponInput, 4],
    ['free-form metadata that had no status', { ...flexibleInput, attributes: [{ traitType: 'A', value: 1 }] }, 1],
  ])('changes every place of a %s, and nothing else', async (_, input, place) => {
    const created = (await client.post('/metadata', input)).body;
    for (const [index, status] of ['Redeemed', '🎟'.repeat(64), '"\\u0041\' || $1 ::text', ' '].entries()) {
      const { status: code, body } = await setStatus(created._id, status);
      expect(code).toBe(200);
      expect(places(body)).toEqual(Array(5).fill(status));
      expect(body.standardFields.attributes[place]).toEqual({ trait_type: 'Status', value: status });
      expect(body.version).toBe(index + 2);
      const same = changed(body, (copy) => {
        copy.version = created.version;
        copy.updatedAt = created.updatedAt;
        copy.currentStatus = created.currentStatus;
        copy.utility = created.utility;
        copy.standardFields.utility = created.standardFields.utility;
        for (const [list, name] of [
          [copy.attributes, 'traitType'],
          [copy.standardFields.attributes, 'trait_type'],
        ]) {
          if (created.currentStatus === null) list.pop();
          else list[place] = { [name]: 'Status', value: created.currentStatus };
        }
      });
      expect(same).toEqual(created);
    }
    expect(places(await read(created._id))).toEqual(Array(5).fill(' '));
  });

  it('leaves every field equal under concurrent requests', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    const path = await mint(metadataId);
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => setStatus(metadataId, `S${index}`)));
    for (const [index, { body }] of replies.entries()) expect(places(body)).toEqual(Array(5).fill(`S${index}`));
    const [last] = places(await read(metadataId));
    expect(places(await read(metadataId))).toEqual(Array(5).fill(last));
    const served = (await call(path)).body;
    expect([served.utility.data.status, ...withStatusTraitOnly(served.attributes)]).toEqual([
      last,
      { trait_type: 'Status', value: last },
    ]);
  });

  it.each([[''], ['x'.repeat(65)], ['\0'], ['\ud800'], [5], [null], [undefined]])(
    'refuses %j with 400',
    async (status) => {
      const metadataId = await createMetadata(client, ticketInput);
      const reply = await setStatus(metadataId, status);
      expect([reply.status, reply.body.errors.length, reply.body.errors[0].path]).toEqual([400, 1, 'status']);
      expect((await read(metadataId)).currentStatus).toBe('Unused');
    },
  );

  it('is 404 for another account’s document and for an unknown one, 409 for a certificate', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    expect((await setStatus(metadataId, 'Stolen', otherClient)).status).toBe(404);
    expect((await setStatus('0'.repeat(24), 'X')).status).toBe(404);
    expect((await read(metadataId)).currentStatus).toBe('Unused');
    const certificate = (await client.post('/metadata', certificateInput)).body;
    expect((await setStatus(certificate._id, 'Revoked')).status).toBe(409);
    expect((await setStatus(certificate._id, 'Revoked', otherClient)).status).toBe(404);
    expect(await read(certificate._id)).toEqual(certificate);
  });
});

describe('GET /metadata/:id', () => {
  it('returns the reply of the creation', async () => {
    const { body } = await client.post('/metadata', { ...couponInput, backgroundColor: '000000' });
    expect(await client.get(`/metadata/${body._id}`)).toMatchObject({ status: 200, body });
  });

  it('is 401 without a key, 404 for another account’s document and an unknown one, 400 for a malformed id', async () => {
    const metadataId = await createMetadata(client);
    expect((await call(`/metadata/${metadataId}`)).status).toBe(401);
    expect((await otherClient.get(`/metadata/${metadataId}`)).status).toBe(404);
    expect((await client.get(`/metadata/${'0'.repeat(24)}`)).status).toBe(404);
    expect((await client.get('/metadata/7')).status).toBe(400);
  });
});

describe('the public document', () => {
  let path: string;
  let served: Reply;
  let tokenId: string;
  beforeAll(async () => {
    path = await mint(await createMetadata(client, ticketInput));
    tokenId = path.split('/').at(-1) ?? '';
    served = await call(path);
  });

  it('is served in canonical snake_case form and must be revalidated', () => {
    expect(served.status).toBe(200);
    expect(Object.keys(served.body)).toEqual(['attributes', 'image', 'name', 'utility']);
    expect(served.body.attributes[1]).toEqual({ display_type: 'date', trait_type: 'Event Date', value: 1_893_456_000 });
    expect(served.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(served.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=60');
    expect(served.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/);
  });

  it('is found by any spelling of its address and id', async () => {
    const hex = BigInt(tokenId).toString(16).padStart(64, '0');
    for (const address of [contract, getAddress(contract), contract.toUpperCase()]) {
      for (const id of [tokenId, hex, hex.toUpperCase()]) {
        const reply = await call(`/metadata/${address}/${id}`);
        expect([address, id, reply.status, reply.headers.get('etag')]).toEqual([
          address,
          id,
          200,
          served.headers.get('etag'),
        ]);
      }
    }
  });

  it('is found by an id of 64 decimal digits, which could be hex, and by the hex form of an id that could be decimal', async () => {
    const decimal = `1${'0'.repeat(63)}`;
    const fromHex = BigInt(`0x${'1'.repeat(64)}`).toString();
    await mint(await createMetadata(client, { name: 'Decimal' }), { tokenId: decimal });
    await mint(await createMetadata(client, { name: 'Hex' }), {
      contractAddress: multiToken,
      tokenId: fromHex,
      amount: 1,
    });
    expect((await call(`/metadata/${contract}/${decimal}`)).body.name).toBe('Decimal');
    expect((await call(`/metadata/${multiToken}/${'1'.repeat(64)}`)).body.name).toBe('Hex');
    expect((await call(`/metadata/${multiToken}/${fromHex}`)).body.name).toBe('Hex');
  });

  it('is not sent again to a client that has it', async () => {
    const etag = served.headers.get('etag') ?? '';
    for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const reply = await call(path, { headers: { 'if-none-match': known } });
      expect([known, reply.status, reply.body]).toEqual([known, 304, '']);
      expect(reply.headers.get('etag')).toBe(etag);
      expect(reply.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=60');
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await call(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('can be read by any web page', async () => {
    expect(served.headers.get('access-control-allow-origin')).toBe('*');
    expect(served.headers.get('access-control-expose-headers')).toBe('ETag');
    const preflight = await call(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://market.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET,HEAD');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('if-none-match');
    expect((await call(`/metadata/${contract}/999999`)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await client.get(`/metadata/${'0'.repeat(24)}`)).headers.get('access-control-allow-origin')).toBe(null);
  });

  it('has the same headers, without the body, for HEAD', async () => {
    const head = await call(path, { method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, '']);
    for (const name of ['etag', 'cache-control', 'content-type']) {
      expect(head.headers.get(name)).toBe(served.headers.get(name));
    }
    expect((await call(`/metadata/${contract}/999999`, { method: 'HEAD' })).status).toBe(404);
  });

  it('is an uncacheable 404 for an unknown token, and 400 for a malformed one', async () => {
    const unknown = await call(`/metadata/${contract}/999999`);
    expect([unknown.status, unknown.body.message]).toEqual([404, 'Token metadata not found']);
    expect(unknown.headers.get('cache-control')).toBe('no-store');
    for (const token of [
      '0x12/1',
      `${contract}/abc`,
      `${contract}/-1`,
      `${contract}/01`,
      `${contract}/${2n ** 256n}`,
    ]) {
      expect([token, (await call(`/metadata/${token}`)).status]).toEqual([token, 400]);
    }
  });

  it('shows a new status at once', async () => {
    const metadataId = await createMetadata(client, couponInput);
    const couponPath = await mint(metadataId);
    const before = await call(couponPath);
    for (const status of ['Used', 'Expired', 'Active']) {
      await setStatus(metadataId, status);
      const now = await call(couponPath, { headers: { 'if-none-match': before.headers.get('etag') ?? '' } });
      // The last one restores the initial status.
      expect([now.status, now.body === '' ? '' : now.body.utility.data.status]).toEqual(
        status === 'Active' ? [304, ''] : [200, status],
      );
    }
  });
});

describe('the edge cache', () => {
  afterEach(() => setFaults(stack.proxies.database, [], 'metadata'));

  it('is filled when a mint is confirmed, before anyone reads', async () => {
    const metadataId = await createMetadata(client, ticketInput);
    const path = `/metadata/${contract}/${nextToken}`;
    // Every lookup fails, so that only the cache can serve the document.
    allowErrors('request.failed');
    await setFaults(
      stack.proxies.database,
      [{ match: lookupOf(path), effect: 'refuse', times: 1_000, isGuard: true }],
      'metadata',
    );
    expect(await mint(metadataId)).toBe(path);
    await expect.poll(async () => (await call(path)).status, { timeout: 10_000 }).toBe(200);
  });
});
