import { beforeAll, describe, expect, it } from 'vitest';
import { call, deployContract, newClient, type Client, stack } from '../fixtures/client.ts';
import { makeKey } from '../fixtures/keys.ts';
import { flexibleInput } from '../fixtures/metadata-inputs.ts';

let client: Client;

beforeAll(async () => {
  client = await newClient();
});

describe('an error', () => {
  it('has a code, the id of the request, and a code for each issue', async () => {
    const { headers, body } = await client.post('/minting/order', {}, { 'x-request-id': 'mine-1' });
    expect(headers.get('x-request-id')).toBe('mine-1');
    expect(body).toMatchObject({ statusCode: 400, code: 'invalid_input', requestId: 'mine-1' });
    expect(body.errors).toContainEqual({ path: 'metadataId', code: 'required', message: expect.any(String) });
  });

  it('has the id of the request that the service chose, where the caller has named none', async () => {
    const { headers, body } = await call('/contracts');
    expect(body).toMatchObject({ statusCode: 401, requestId: headers.get('x-request-id') });
  });

  it.each([
    ['/contracts', 'api_key_missing'],
    ['/nowhere', 'route_not_found'],
  ])('leads to the explanation of its code: %s', async (path, code) => {
    const { headers, body } = await call(path);
    expect([body.code, headers.get('link')]).toEqual([code, `</docs/errors#${code}>; rel="help"`]);
  });

  it('of metadata keeps schemaVersion and type, and has codes', async () => {
    const { body } = await client.post('/metadata', { ...flexibleInput, imageUrl: 7, nmae: 'x' });
    expect(body).toMatchObject({ code: 'metadata_invalid', message: 'Metadata validation failed' });
    const of = { schemaVersion: 'opensea_flexible@1.0.0', type: 'Flexible', message: expect.any(String) };
    expect(body.errors).toEqual([
      { path: '$.image', code: 'wrong_type', ...of },
      { path: '$.nmae', code: 'unknown_field', ...of },
    ]);
  });

  it('in a batch has a code too', async () => {
    const { body } = await client.post('/minting/orders/batch', { orders: [{}] });
    expect(body.results[0]).toMatchObject({ statusCode: 400, code: 'invalid_input' });
  });

  it('has a code that the document lists, in its introduction and in its schema, and the page of errors explains', async () => {
    const { body: document } = await call('/openapi.json');
    const codes: string[] = document.components.schemas.Error.properties.code.enum;
    expect(codes).toContain('invalid_input');
    const { body: page } = await call('/docs/errors');
    for (const code of codes) {
      expect(document.info.description).toContain(`| \`${code}\` |`);
      expect(page).toContain(` id="${code}"`);
    }
  });
});

describe('an unknown name', () => {
  it.each([
    [
      'POST',
      '/contracts/deploy',
      { burnauth: 'holder' },
      'burnauth',
      /^Unknown field burnauth; did you mean burnAuth\?$/,
    ],
    ['POST', '/minting/order', { recieverAddress: '0x1' }, 'recieverAddress', /did you mean receiverAddress\?$/],
    ['POST', '/transfer/execute', { purpose: 'cancel', forwarderNonc: '1' }, 'forwarderNonc', /forwarderNonce\?$/],
    ['POST', '/webhooks/endpoints', { colour: 'red' }, 'colour', /^Unknown field colour$/],
    ['GET', '/minting?stauts=FAILED', {}, 'stauts', /^Unknown query parameter stauts; did you mean status\?$/],
    ['GET', '/metadata/status-rules?limit=1', {}, 'limit', /^Unknown query parameter limit$/],
    ['POST', '/minting/order?dryRun=true', {}, 'dryRun', /^Unknown query parameter dryRun$/],
    ['GET', '/limits?chainID=43114', {}, 'chainID', /^Unknown query parameter chainID$/],
  ])('in %s %s is 400, and the nearest known one is named', async (method, path, fields, name, message) => {
    const { status, body } = await (method === 'GET' ? client.get(path) : client.post(path, fields));
    expect(status).toBe(400);
    expect(body.errors).toContainEqual({ path: name, code: 'unknown_field', message: expect.stringMatching(message) });
  });

  it('in the query is listed together with what is wrong in the path and in the body', async () => {
    const query = { path: 'dryRun', code: 'unknown_field', message: 'Unknown query parameter dryRun' };
    const order = await client.post('/minting/order?dryRun=true', { chainId: '43114', tokenid: '1' });
    expect(order.body.errors).toContainEqual(query);
    const paths = order.body.errors.map(({ path }: Loose) => path);
    expect(paths).toEqual(expect.arrayContaining(['contractAddress', 'tokenId', 'tokenid', 'metadataId']));
    const status = await client.post('/metadata/x/status?dryRun=true', { status: 7 });
    expect(status.body.errors.map(({ path }: Loose) => path)).toEqual(['dryRun', 'id', 'status']);
    const { body } = await client.post('/minting/order?dryRun=true', '{');
    expect(body.errors).toEqual([query]);
  });

  it('is ignored where anybody reads: in the query of a public route', async () => {
    expect((await call('/health?probe=1')).status).toBe(200);
    expect((await call('/schemas?cache=1')).status).toBe(200);
  });

  it('is refused by every body that the document describes, unless it is free-form', async () => {
    const { body: document } = await call('/openapi.json');
    const open = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        openIn(document, (operation as Loose).requestBody?.content['application/json']?.schema).map(
          (at) => `${method} ${path} ${at}`,
        ),
      ),
    );
    expect(new Set(open.map((one) => one.replace(/ .*? /, ' ')))).toEqual(new Set(FREE_FORM));
  });
});

// oxlint-disable-next-line typescript/no-explicit-any -- a JSON Schema
type Loose = any;

/** What callers fill as they like, what compilers write, and patches, which may remove what is not there. */
const FREE_FORM: string[] = [
  'post $.utility.data',
  'post $.utility.data.event',
  'post $.utility.data.seat',
  'post $.abi[]',
  'post $.abi[].inputs[]',
  'post $.abi[].inputs[].components[]',
  'post $.abi[].outputs[]',
  'post $.abi[].outputs[].components[]',
  'patch $',
  'patch $.utility',
];

/** Where a schema has objects with fields that it does not name. */
function openIn(document: Loose, schema: Loose, at = '$'): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (typeof schema.$ref === 'string') {
    return openIn(document, document.components.schemas[schema.$ref.split('/').at(-1)], at);
  }
  const isOpen = schema.type === 'object' && schema.additionalProperties === undefined;
  return [
    ...(isOpen ? [at] : []),
    ...Object.entries<Loose>(schema.properties ?? {}).flatMap(([key, inner]) =>
      openIn(document, inner, `${at}.${key}`),
    ),
    ...[schema.oneOf, schema.anyOf, schema.allOf].flat().flatMap((inner: Loose) => openIn(document, inner, at)),
    ...openIn(document, schema.items, `${at}[]`),
  ];
}

/** The schema of an operation's body; of one for several purposes that of the first, and of a batch that of an item. */
function schemaOf(document: Loose, path: string): Loose {
  const resolved = (schema: Loose): Loose => {
    if (schema.$ref !== undefined) return resolved(document.components.schemas[schema.$ref.split('/').at(-1)]);
    const [first] = schema.oneOf ?? schema.anyOf ?? [];
    if (first !== undefined) return resolved(first);
    return schema.properties.orders === undefined ? schema : resolved(schema.properties.orders.items);
  };
  return resolved(document.paths[path].post.requestBody.content['application/json'].schema);
}

/** The path and the code of each issue of a 400. */
const faultsOf = ({ status, body }: Loose) => {
  expect(status).toBe(400);
  return body.errors.map(({ path, code }: Loose) => [path, code]);
};

/** The path and the message of each issue. */
const shownOf = (body: Loose) => body.errors?.map(({ path, message }: Loose) => [path, message]);

describe('every fault is listed, with the code of the rule that it breaks:', () => {
  it('those of a body beside an Idempotency-Key that is malformed', async () => {
    const order = { chainId: '43114', tokenId: '1'.repeat(78), amount: 0 };
    const faults = faultsOf(await client.post('/minting/order', order, { 'idempotency-key': 'two words' }));
    expect(faults).toEqual(
      expect.arrayContaining([
        ['idempotency-key', 'invalid_format'],
        ['contractAddress', 'required'],
        ['amount', 'too_small'],
      ]),
    );
  });

  it('those of a deployment beside a chain that is not allowed', async () => {
    const fields = { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard', burnAuth: 'both' };
    expect(faultsOf(await client.post('/contracts/deploy', { ...fields, chainId: '1' }))).toEqual([
      ['chainId', 'not_allowed'],
      ['burnAuth', 'invalid_value'],
    ]);
  });

  it('those of a form beside a chain that is not allowed, each order of a batch included', async () => {
    const chain = ['chainId', 'not_allowed'];
    const order = { chainId: '1', contractAddress: `0x${'12'.repeat(20)}`, tokenId: 1 };
    const missing = ['receiverAddress', 'metadataId'].map((path) => [path, 'required']);
    const all = new Set([chain, ['tokenId', 'wrong_type'], ...missing]);
    expect(new Set(faultsOf(await client.post('/minting/order', order)))).toEqual(all);
    const { body } = await client.post('/minting/orders/batch', { orders: [order] });
    const [refused] = body.results;
    expect(new Set(faultsOf({ status: refused.statusCode, body: refused }))).toEqual(all);
    expect(faultsOf(await client.post('/contracts/deploy?dryRun=1', { chainId: '1', name: 7 }))).toEqual(
      expect.arrayContaining([chain, ['dryRun', 'unknown_field'], ['name', 'wrong_type'], ['symbol', 'required']]),
    );
  });

  it.each([
    ['/minting/order', ['metadataId', 'not_found']],
    ['/minting/orders/batch', ['metadataId', 'not_found']],
    ['/minting/occupancy/check', ['metadataId', 'not_found']],
    ['/minting/prepare', ['metadataId', 'not_found'], ['deadline', 'expired']],
    ['/minting/signature', ['metadataId', 'not_found'], ['privateKey', 'invalid_value']],
    ['/minting/relay', ['metadataId', 'not_found'], ['deadline', 'expired']],
    ['/transfer/prepare', ['deadline', 'expired']],
    ['/transfer/signature', ['privateKey', 'invalid_value']],
    ['/transfer/execute', ['deadline', 'expired']],
    ['/burn/prepare', ['deadline', 'expired']],
    ['/burn/execute', ['deadline', 'expired']],
    ['/contracts/read', ['method', 'invalid_value']],
  ])('those of %s that can be told without its chain, beside a chain that is not allowed', async (path, ...faults) => {
    const { body: document } = await call('/openapi.json');
    const { properties } = schemaOf(document, path);
    const address = `0x${'12'.repeat(20)}`;
    const fields = {
      chainId: '1',
      contractAddress: address,
      receiverAddress: address,
      from: address,
      to: address,
      tokenId: '1',
      metadataId: '0'.repeat(24),
      gasLimit: 500_000,
      deadline: '2020-01-01T00:00:00Z',
      privateKey: `0x${'1'.repeat(64)}`,
      signature: `0x${'1'.repeat(130)}`,
      method: 'nonsense',
    };
    const body = Object.fromEntries(Object.entries(fields).filter(([name]) => name in properties));
    const isBatch = path.endsWith('batch');
    const reply = await client.post(path, isBatch ? { orders: [body] } : body);
    const refused = isBatch ? { status: reply.body.results[0].statusCode, body: reply.body.results[0] } : reply;
    expect(faultsOf(refused)).toEqual([['chainId', 'not_allowed'], ...faults]);
  });

  it.each([
    ['limit=1000', 'too_big', 'must be a whole number from 1 to 100'],
    ['limit=0', 'too_small', 'must be a whole number from 1 to 100'],
    ['limit=x', 'invalid_format', 'must be a whole number from 1 to 100'],
    ['limit=1&limit=2', 'wrong_type', 'can only be given once'],
  ])('in a query: %s', async (query, code, message) => {
    const { body } = await client.get(`/minting?${query}`);
    expect(body.errors).toEqual([{ path: 'limit', code, message }]);
  });

  it.each([
    ['/minting?=1', [['', 'A query parameter has no name']]],
    [
      '/minting?limit=0&=1',
      [
        ['limit', 'must be a whole number from 1 to 100'],
        ['', 'A query parameter has no name'],
      ],
    ],
  ])('in a query parameter without a name: %s', async (path, faults) => {
    const { status, body } = await client.get(path);
    expect([status, shownOf(body)]).toEqual([400, faults]);
  });

  it.each([
    [
      '/metadata',
      '{"name":"A","utility":{"data":{"x":[{"y":1,"y":2}]}}}',
      [['utility.data.x.0.y', 'can only be given once']],
    ],
    [
      '/minting/occupancy/check?=1',
      '{"chainId":"43114","chainId":"43113"}',
      [
        ['', 'A query parameter has no name'],
        ['contractAddress', 'is required'],
        ['tokenId', 'is required'],
        ['chainId', 'can only be given once'],
      ],
    ],
  ])('in a body whose object has a member twice: POST %s', async (path, text, faults) => {
    const { status, body } = await client.post(path, text);
    expect([status, shownOf(body)]).toEqual([400, faults]);
  });

  it.each([
    ['/contracts/deploy', ['contractType', 'ercStandard', 'name', 'symbol']],
    ['/contracts/read', ['chainId', 'contractAddress', 'method']],
    ['/contracts/transfer-ownership', ['chainId', 'contractAddress', 'newOwnerAddress']],
    ['/minting/occupancy/check', ['chainId', 'contractAddress', 'tokenId']],
    ['/minting/signature', ['chainId', 'contractAddress', 'from', 'metadataId', 'receiverAddress', 'tokenId']],
    ['/minting/relay', ['chainId', 'contractAddress', 'from', 'metadataId', 'receiverAddress', 'signature', 'tokenId']],
    ['/transfer/signature', ['chainId', 'contractAddress', 'from', 'to', 'tokenId']],
    ['/transfer/execute', ['chainId', 'contractAddress', 'from', 'signature', 'to', 'tokenId']],
  ])('a field of %s that is required, and no other, in an empty body', async (path, required) => {
    expect(faultsOf(await client.post(path, {})).toSorted()).toEqual(required.map((field) => [field, 'required']));
  });

  it('in a text that is too short or too long', async () => {
    const codes = ['', 'x'.repeat(65)].map(async (status) =>
      faultsOf(await client.post(`/metadata/${'0'.repeat(24)}/status`, { status })),
    );
    expect(await Promise.all(codes)).toEqual([[['status', 'too_short']], [['status', 'too_long']]]);
  });
});

describe('a key that is not accepted', () => {
  it.each([
    [{}, 'api_key_missing', 'The header x-api-key is missing'],
    [{ 'x-api-key': '' }, 'api_key_missing', 'The header x-api-key is empty'],
    [
      { 'x-api-key': '', authorization: 'Bearer abc' },
      'bearer_not_supported',
      /^The header Authorization is not supported/,
    ],
    [{ 'x-api-key': 'wrong' }, 'api_key_invalid', 'The key in x-api-key is not valid'],
    [{ authorization: 'Bearer abc' }, 'bearer_not_supported', /^The header Authorization is not supported/],
    [{ 'x-api-key': 'Bearer abc' }, 'bearer_not_supported', /without "Bearer"$/],
  ])('is told apart: %j', async (headers: Record<string, string>, code, message) => {
    const { status, body } = await call('/contracts', { headers });
    expect([status, body.code]).toEqual([401, code]);
    expect(body.message).toMatch(message);
  });

  it.each([
    [{}, 'admin_key_missing'],
    [{ 'x-admin-secret-key': '' }, 'admin_key_missing'],
    [{ 'x-admin-secret-key': 'wrong' }, 'admin_key_invalid'],
    [{ authorization: 'Bearer abc' }, 'bearer_not_supported'],
  ])('is told apart on the routes of the admin: %j', async (headers: Record<string, string>, code) => {
    const { status, body } = await call('/status', { headers });
    expect([status, body.code]).toEqual([401, code]);
  });
});

describe('an empty header', () => {
  it('is as good as none: the account of a key need not be named, and that of a global key must be', async () => {
    const { key } = await makeKey(client, { scopes: ['read'] });
    const headers = { 'x-admin-secret-key': '', 'x-corporate-id': '' };
    expect((await call('/contracts', { headers: { ...headers, 'x-api-key': key } })).status).toBe(200);
    const operator = { ...headers, 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '' };
    const { status, body } = await call('/contracts', { headers: operator });
    expect([status, body.code]).toEqual([401, 'account_header_missing']);
  });
});

describe('a contract that is none of the ACTIVE ones', () => {
  const place = { chainId: '43114', contractAddress: `0x${'12'.repeat(20)}`, tokenId: '1' };
  const check = (fields: object) => client.post('/minting/occupancy/check', { ...place, ...fields });

  it('is named, with the state that it is in, if it is of the account, and otherwise as unknown', async () => {
    const none = await check({});
    expect([none.status, none.body.code]).toEqual([404, 'contract_not_active']);
    expect(none.body.message).toBe(
      `Active contract not found: the account has no contract ${place.contractAddress} on chain 43114`,
    );
    const { contractAddress } = await deployContract(client);
    expect((await check({ chainId: '43113', contractAddress })).body.message).toBe(
      `Active contract not found: the account has ${contractAddress} on chain 43114, not on chain 43113`,
    );
    const stranger = await newClient();
    const foreign = await stranger.post('/minting/occupancy/check', { ...place, contractAddress });
    expect(foreign.body.message).toMatch(/^Active contract not found: the account has no contract /);
    const { body: deploying } = await client.post('/contracts/forwarder', { alias: 'main' });
    expect((await check({})).body.message).toMatch(
      new RegExp(`contract 43114$|its contract ${deploying._id} is DEPLOYING and has an address once it is ACTIVE$`),
    );
    const forwarder = await client.until(`/contracts/${deploying._id}`, ['ACTIVE']);
    expect((await check({ contractAddress: forwarder['contractAddress'] })).body.message).toMatch(
      / is ACTIVE, a forwarder/,
    );
  });
});

describe('a text in a body', () => {
  it('or a list has a bound or a form, in every body that the document describes', async () => {
    const { body: document } = await call('/openapi.json');
    const unbounded = Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Loose>(methods).flatMap(([method, operation]) =>
        unboundedIn(document, operation.requestBody?.content['application/json']?.schema).map(
          (at) => `${method} ${path} ${at}`,
        ),
      ),
    );
    expect(unbounded).toEqual([]);
  });
});

/** The texts and lists of a schema that have no bound; those in `args` of a read have one in total. */
function unboundedIn(document: Loose, schema: Loose, at = '$'): string[] {
  if (typeof schema !== 'object' || schema === null || at.startsWith('$.args[')) return [];
  if (typeof schema.$ref === 'string') {
    return unboundedIn(document, document.components.schemas[schema.$ref.split('/').at(-1)], at);
  }
  const isBounded =
    ['maxLength', 'enum', 'const', 'pattern'].some((key) => key in schema) || schema.format === 'date-time';
  return [
    ...([schema.type].flat().includes('string') && !isBounded ? [at] : []),
    ...([schema.type].flat().includes('array') && schema.maxItems === undefined ? [at] : []),
    ...unboundedIn(document, schema.additionalProperties, `${at}.*`),
    ...Object.entries<Loose>(schema.properties ?? {}).flatMap(([key, one]) =>
      unboundedIn(document, one, `${at}.${key}`),
    ),
    ...[schema.oneOf, schema.anyOf, schema.allOf].flat().flatMap((one: Loose) => unboundedIn(document, one, at)),
    ...unboundedIn(document, schema.items, `${at}[]`),
  ];
}
