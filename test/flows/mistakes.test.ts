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

const MISTAKES: readonly (readonly [string, Ask])[] = [
  ['no key', () => call('/minting')],
  ['the key as a Bearer token', () => call('/minting', { headers: { authorization: `Bearer ${apiKey}` } })],
  ['"Bearer" in x-api-key', () => call('/minting', { headers: { 'x-api-key': `Bearer ${apiKey}` } })],
  ['a key that is cut off', () => call('/minting', { headers: { 'x-api-key': apiKey.slice(0, -1), ...named() } })],
  ["the operator's key without an account", () => call('/minting', { headers: { 'x-api-key': apiKey } })],
  [
    'an account that does not exist',
    () => call('/minting', { headers: { 'x-api-key': apiKey, 'x-corporate-id': 'nobody' } }),
  ],
  ["the account's key where the admin's is needed", () => call('/status', { headers: readKey })],
  [
    'a key without the scope',
    () => call('/minting/order', { method: 'POST', headers: { ...readKey, ...json }, body: '{}' }),
  ],
  ['a path that is misspelt', () => client.post('/mintings/order', {})],
  ['a method that the path does not have', () => call('/minting/order', { method: 'PUT' })],
  ['a body that is not JSON', () => client.post('/minting/order', "{'chainId':1}")],
  [
    'another Content-Type',
    () =>
      call('/minting/order', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, ...named(), 'content-type': 'text/plain' },
        body: '{}',
      }),
  ],
  ['a body that is too large', () => client.post('/minting/order', { note: 'x'.repeat(70_000) })],
  ['a list instead of an object', () => client.post('/minting/order', [order])],
  ['a missing field', () => client.post('/minting/order', without('metadataId'))],
  ['a misspelt field', () => mint({ recieverAddress: holder })],
  ['a field in snake_case', () => mint({ receiver_address: holder })],
  ['a token id as a number', () => mint({ tokenId: 7 })],
  ['a token id with a leading zero', () => mint({ tokenId: '007' })],
  ['a chain id as a number', () => mint({ chainId: 43_114 })],
  ['a chain that is not served', () => mint({ chainId: '1' })],
  ['an address that is too short', () => mint({ receiverAddress: '0x8ba1f1' })],
  ['an address with a wrong checksum', () => mint({ receiverAddress: holder.replace('bD', 'BD') })],
  ['the zero address as the receiver', () => mint({ receiverAddress: `0x${'0'.repeat(40)}` })],
  ['an id of another form', () => mint({ metadataId: '7' })],
  ['metadata that does not exist', () => mint({ metadataId: unknownId })],
  ['a contract that the account does not have', () => mint({ contractAddress: nowhere })],
  ['the right contract on the wrong chain', () => mint({ chainId: '43113' })],
  ['an amount for an ERC-721 token', () => mint({ amount: 2 })],
  ['a token that exists', () => mint({ tokenId: '1' })],
  ['an Idempotency-Key with spaces', () => mint({}, { 'idempotency-key': 'my key' })],
  [
    'certificate metadata on a standard contract',
    async () => mint({ metadataId: (await metadata({ chainId: '43114' }, certificateInput)).body._id }),
  ],
  ['a symbol that is too long', () => deploy({ symbol: 'TOOLONGNAME' })],
  ['a standard with its prefix', () => deploy({ ercStandard: 'ERC721' })],
  ['royalties in percent', () => deploy({ royaltyFeeBps: 2.5 })],
  ['utility without a type', () => metadata({ utility: { data: {} } })],
  [
    'a ticket without its traits',
    () => metadata({ attributes: ticketInput.attributes.slice(1) }, { ...ticketInput, chainId: '43114' }),
  ],
  ['a field of the served document in a request', () => metadata({ external_url: 'https://example.com' })],
  ['a page that is too large', () => client.get('/minting?limit=1000')],
  ['a misspelt filter', () => client.get('/minting?state=FAILED')],
  ['an order that does not exist', () => client.get(`/minting/${unknownId}`)],
  ['a webhook without https', () => client.post('/webhooks/endpoints', { url: 'ftp://example.com' })],
  [
    'an unknown event type',
    () => client.post('/webhooks/endpoints', { url: 'https://example.com/hook', eventTypes: ['mint.done'] }),
  ],
  [
    'a scope that does not exist',
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
  return out;
};

function lineOf(mistake: string, { body }: Reply): string {
  const issues: { path: string; code: string; message: string }[] = body.errors ?? [];
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, code, message }) => `${path === '' ? '' : `\`${path}\` `}${shown(message)} (\`${code}\`)`);
  const more = issues.length > MAX_ISSUES ? [`and ${issues.length - MAX_ISSUES} more`] : [];
  const said = issues.length === 0 ? [shown(body.message)] : [...lines, ...more];
  return `- ${mistake}: \`${body.code}\`: ${said.join('; ')}`;
}

const INTRODUCTION = `# Common mistakes

Each with its code and the message, or the issues in \`errors\`, of which at most ${MAX_ISSUES} are shown. [errors.md](errors.md)
explains the form. \`npm run api:mistakes\` records this page.
`;

it('docs/mistakes.md has the reply to each', async () => {
  const lines: string[] = [];
  for (const [mistake, ask] of MISTAKES) {
    const reply = await ask();
    expect([mistake, reply.status >= 400]).toEqual([mistake, true]);
    expect([mistake, reply.body.requestId]).toEqual([mistake, reply.headers.get('x-request-id')]);
    lines.push(lineOf(mistake, reply));
  }
  expect(lines.length).toBeGreaterThan(40);
  await expect(`${INTRODUCTION}\n${lines.join('\n')}\n`).toMatchFileSnapshot('../../docs/mistakes.md');
});
