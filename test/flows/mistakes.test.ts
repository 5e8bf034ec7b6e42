import { beforeAll, expect, it } from 'vitest';
import { call, createMetadata, deployContract, newClient, stack, type Client, type Reply } from '../fixtures/client.ts';
import { adminOf, keyHeaders, makeKey } from '../fixtures/keys.ts';
import { certificateInput, flexibleInput, ticketInput } from '../fixtures/metadata-inputs.ts';

/** What partners get wrong, with the reply to each. `npm run api:mistakes` records the replies in docs/mistakes.md. */

const holder = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const nowhere = '0x1212121212121212121212121212121212121212';
const unknownId = '0190f3c1a2b4d5e6f7a8b9c0';
const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';

let client: Client;
let order: Record<string, unknown>;
let readKey: Record<string, string>;
/** Values that differ from run to run, and what stands for them. */
const names = new Map<string, string>();

beforeAll(async () => {
  client = await newClient();
  const { contractAddress } = await deployContract(client);
  const metadataId = await createMetadata(client);
  readKey = keyHeaders(await makeKey(client, { scopes: ['read'] }));
  order = { chainId: '43114', contractAddress, receiverAddress: holder, tokenId: '1', metadataId };
  const taken = await client.post('/minting/order', { ...order, metadataId: await createMetadata(client) });
  for (const [name, value] of Object.entries({
    contract: contractAddress,
    order: taken.body.id,
    account: client.account._id,
  })) {
    names.set(String(value), `<${name}>`);
  }
  await client.until(`/minting/${taken.body.id}`, ['CONFIRMED']);
});

type Ask = () => Promise<Reply>;

const json = { 'content-type': 'application/json' };
const named = () => ({ 'x-corporate-id': client.account.corporateId });
const without = (field: string): Record<string, unknown> => ({ ...order, [field]: undefined });
const mint = (fields: Record<string, unknown>, headers?: Record<string, string>): Promise<Reply> =>
  client.post('/minting/order', { ...order, tokenId: '2', ...fields }, headers);
const deploy = (fields: Record<string, unknown>): Promise<Reply> =>
  client.post('/contracts/deploy', {
    name: 'Tickets',
    symbol: 'TIX',
    ercStandard: '721',
    contractType: 'standard',
    ...fields,
  });
const metadata = (fields: Record<string, unknown>, input: object = flexibleInput): Promise<Reply> =>
  client.post('/metadata', { ...input, ...fields });

const MISTAKES: readonly (readonly [string, string, Ask])[] = [
  ['no key', 'GET /minting', () => call('/minting')],
  [
    'the key as a Bearer token',
    'GET /minting',
    () => call('/minting', { headers: { authorization: `Bearer ${apiKey}` } }),
  ],
  ['"Bearer" in x-api-key', 'GET /minting', () => call('/minting', { headers: { 'x-api-key': `Bearer ${apiKey}` } })],
  [
    'a key that is cut off',
    'GET /minting',
    () => call('/minting', { headers: { 'x-api-key': apiKey.slice(0, -1), ...named() } }),
  ],
  [
    "the operator's key without an account",
    'GET /minting',
    () => call('/minting', { headers: { 'x-api-key': apiKey } }),
  ],
  [
    'an account that does not exist',
    'GET /minting',
    () => call('/minting', { headers: { 'x-api-key': apiKey, 'x-corporate-id': 'nobody' } }),
  ],
  ["the account's key where the admin's is needed", 'GET /status', () => call('/status', { headers: readKey })],
  [
    'a key without the scope',
    'POST /minting/order',
    () => call('/minting/order', { method: 'POST', headers: { ...readKey, ...json }, body: '{}' }),
  ],
  ['a path that is misspelt', 'POST /mintings/order', () => client.post('/mintings/order', {})],
  ['a method that the path does not have', 'PUT /minting/order', () => call('/minting/order', { method: 'PUT' })],
  ['a body that is not JSON', 'POST /minting/order', () => client.post('/minting/order', "{'chainId':1}")],
  [
    'another Content-Type',
    'POST /minting/order',
    () =>
      call('/minting/order', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, ...named(), 'content-type': 'text/plain' },
        body: '{}',
      }),
  ],
  [
    'a body that is too large',
    'POST /minting/order',
    () => client.post('/minting/order', { note: 'x'.repeat(70_000) }),
  ],
  ['a list instead of an object', 'POST /minting/order', () => client.post('/minting/order', [order])],
  ['a missing field', 'POST /minting/order', () => client.post('/minting/order', without('metadataId'))],
  ['a misspelt field', 'POST /minting/order', () => mint({ recieverAddress: holder })],
  ['a field in snake_case', 'POST /minting/order', () => mint({ receiver_address: holder })],
  ['a token id as a number', 'POST /minting/order', () => mint({ tokenId: 7 })],
  ['a token id with a leading zero', 'POST /minting/order', () => mint({ tokenId: '007' })],
  ['a chain id as a number', 'POST /minting/order', () => mint({ chainId: 43_114 })],
  ['a chain that is not served', 'POST /minting/order', () => mint({ chainId: '1' })],
  ['an address that is too short', 'POST /minting/order', () => mint({ receiverAddress: '0x8ba1f1' })],
  [
    'an address with a wrong checksum',
    'POST /minting/order',
    () => mint({ receiverAddress: holder.replace('bD', 'BD') }),
  ],
  ['the zero address as the receiver', 'POST /minting/order', () => mint({ receiverAddress: `0x${'0'.repeat(40)}` })],
  ['an id of another form', 'POST /minting/order', () => mint({ metadataId: '7' })],
  ['metadata that does not exist', 'POST /minting/order', () => mint({ metadataId: unknownId })],
  ['a contract that the account does not have', 'POST /minting/order', () => mint({ contractAddress: nowhere })],
  ['the right contract on the wrong chain', 'POST /minting/order', () => mint({ chainId: '43113' })],
  ['an amount for an ERC-721 token', 'POST /minting/order', () => mint({ amount: 2 })],
  ['a token that exists', 'POST /minting/order', () => mint({ tokenId: '1' })],
  ['an Idempotency-Key with spaces', 'POST /minting/order', () => mint({}, { 'idempotency-key': 'my key' })],
  [
    'certificate metadata on a standard contract',
    'POST /minting/order',
    async () => mint({ metadataId: (await metadata({ chainId: '43114' }, certificateInput)).body._id }),
  ],
  ['a symbol that is too long', 'POST /contracts/deploy', () => deploy({ symbol: 'TOOLONGNAME' })],
  ['a standard with its prefix', 'POST /contracts/deploy', () => deploy({ ercStandard: 'ERC721' })],
  ['royalties in percent', 'POST /contracts/deploy', () => deploy({ royaltyFeeBps: 2.5 })],
  ['utility without a type', 'POST /metadata', () => metadata({ utility: { data: {} } })],
  [
    'a ticket without its traits',
    'POST /metadata',
    () => metadata({ attributes: ticketInput.attributes.slice(1) }, { ...ticketInput, chainId: '43114' }),
  ],
  [
    'a field of the served document in a request',
    'POST /metadata',
    () => metadata({ external_url: 'https://example.com' }),
  ],
  ['a page that is too large', 'GET /minting?limit=1000', () => client.get('/minting?limit=1000')],
  ['a misspelt filter', 'GET /minting?state=FAILED', () => client.get('/minting?state=FAILED')],
  ['an order that does not exist', `GET /minting/${unknownId}`, () => client.get(`/minting/${unknownId}`)],
  [
    'a webhook without https',
    'POST /webhooks/endpoints',
    () => client.post('/webhooks/endpoints', { url: 'ftp://example.com' }),
  ],
  [
    'an unknown event type',
    'POST /webhooks/endpoints',
    () => client.post('/webhooks/endpoints', { url: 'https://example.com/hook', eventTypes: ['mint.done'] }),
  ],
  [
    'a scope that does not exist',
    'POST /keys',
    () =>
      call('/keys', {
        method: 'POST',
        headers: { ...adminOf(client), ...json },
        body: '{"name":"Shop","scopes":["mints"]}',
      }),
  ],
];

/** Longer lists of issues are cut. */
const MAX_ISSUES = 3;

const shown = (text: string) => {
  let out = text;
  for (const [value, name] of names) out = out.replaceAll(new RegExp(value, 'gi'), name);
  return out.replaceAll('|', String.raw`\|`);
};

function rowOf(mistake: string, request: string, { status, body }: Reply): string[] {
  const issues: { path: string; code: string; message: string }[] = body.errors ?? [];
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, code, message }) => `\`${shown(path)}\`: ${shown(message)} (\`${code}\`)`);
  const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : [];
  return [
    mistake,
    `\`${request}\``,
    String(status),
    `\`${body.code}\``,
    [shown(body.message), ...lines, ...more].join('<br>'),
  ];
}

/** A table as the formatter writes it. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...others] = rows;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others.map(line)].join('\n');
}

const INTRODUCTION = `# Common mistakes

What each gets, recorded from the local stack: \`npm run api:mistakes\` writes this page, and a test compares it. [errors.md](errors.md)
explains the form and has all codes. Of long lists the first ${MAX_ISSUES} issues are shown.
`;

it('docs/mistakes.md has the reply to each', async () => {
  const rows = [['mistake', 'request', 'status', 'code', 'message and `errors`']];
  for (const [mistake, request, ask] of MISTAKES) {
    const reply = await ask();
    expect([mistake, reply.status >= 400]).toEqual([mistake, true]);
    expect([mistake, reply.body.requestId]).toEqual([mistake, reply.headers.get('x-request-id')]);
    rows.push(rowOf(mistake, request, reply));
  }
  expect(rows.length).toBeGreaterThan(40);
  await expect(`${INTRODUCTION}\n${tableOf(rows)}\n`).toMatchFileSnapshot('../../docs/mistakes.md');
});
