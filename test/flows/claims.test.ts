import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concat, toHex, zeroAddress, type Address, type Hex } from 'viem';
import { confirmIssuer } from '../../cli/corporate/confirm-issuer.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { forgetReply, replyStored } from '../fixtures/forget-reply.ts';
import { deployElsewhere, setCode } from '../fixtures/foreign-contract.ts';
import { newSigner } from '../fixtures/gasless.ts';
import { adminOf, ask } from '../fixtures/keys.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

type Fields = Readonly<Record<string, unknown>>;

const chainId = '43114';
const ACME = { name: 'Acme', logoUrl: 'https://acme.example/logo.svg', domain: 'acme.example' };
const database = new Postgres({ connectionString: stack.ownerDatabaseUrl });

let receiver: WebhookReceiver;
let client: Client;
let tickets: Address;
let units: Address;
let lastToken = 0;

beforeAll(async () => {
  await database.connect();
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  const [one, other] = await Promise.all([deployContract(client), deployContract(client, { ercStandard: '1155' })]);
  [tickets, units] = [one.contractAddress, other.contractAddress];
  await client.post('/webhooks/endpoints', { url: receiver.url, eventTypes: ['claim.claimed', 'claim.expired'] });
});
afterAll(() => database.end());

const claimOf = async (fields: Fields = {}) => ({
  chainId,
  contractAddress: tickets,
  ...(fields['tokenIds'] === undefined ? { tokenId: String((lastToken += 1)) } : {}),
  metadataId: await createMetadata(client),
  ...fields,
});
const create = async (fields: Fields = {}, headers: Record<string, string> = {}) =>
  client.post('/claims', await claimOf(fields), headers);

interface Link {
  readonly id: string;
  readonly secret: string;
  readonly claim: Reply['body'];
}

function linkOf({ url, ...claim }: Reply['body']): Link {
  const { pathname, hash } = new URL(url);
  return { id: pathname.replace('/claim/', ''), secret: hash.slice(1), claim };
}

async function link(fields: Fields = {}): Promise<Link> {
  const { status, body } = await create(fields);
  expect([status, body.errors]).toEqual([201, undefined]);
  return linkOf(body);
}

/** A request without a key. */
const anonymously = (path: string, body: unknown) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const open = ({ id, secret }: Pick<Link, 'id' | 'secret'>) => anonymously(`/claims/${id}/open`, { secret });
const claim = ({ id, secret }: Pick<Link, 'id' | 'secret'>, to: string = newSigner().address, pin?: string) =>
  anonymously(`/claims/${id}/claim`, { secret, receiverAddress: to, ...(pin === undefined ? {} : { pin }) });
const read = async ({ id }: Pick<Link, 'id'>) => (await client.get(`/claims/${id}`)).body;
const cancel = ({ id }: Pick<Link, 'id'>) => client.post(`/claims/${id}/cancel`, '');
const minted = ({ id }: Pick<Link, 'id'>) => client.until(`/minting/${id}`, ['CONFIRMED', 'FAILED']);
const ownerOf = (tokenId: string) =>
  chainClient().readContract({ ...standard721, address: tickets, functionName: 'ownerOf', args: [BigInt(tokenId)] });
const eventsOf = ({ id }: Pick<Link, 'id'>) =>
  receiver.events.filter(({ event }) => [event.data['claimId'], event.data['id']].includes(id));
const eventTypes = (one: Pick<Link, 'id'>) => eventsOf(one).map(({ event }) => event.type);
const oldestUnfinished = async () => (await ask(adminOf(client), '/status')).body.oldestUnfinished;
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).toSorted((a, b) => a - b);

/** As if the time of a claim were over. */
async function expire({ id }: Pick<Link, 'id'>): Promise<void> {
  await database.query(
    `with c as (update claims set expires_at = now() where id = $1)
     update orders set approval_until = now(), next_try_at = now() where order_id = $1`,
    [id],
  );
}

it('a page on any site may open and claim what its visitor has the link of', async () => {
  const { id, secret } = await link();
  const headers = { origin: 'https://shop.example', 'content-type': 'application/json' };
  for (const [action, more] of [
    ['open', {}],
    ['claim', { receiverAddress: newSigner().address }],
  ] as const) {
    const preflight = await call(`/claims/${id}/${action}`, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'content-type']);
    const reply = await call(`/claims/${id}/${action}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ secret, ...more }),
    });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  }
});

describe('a claim', () => {
  it('is a minting order without a receiver, which nothing is sent for', async () => {
    const { id, claim: made } = await link();
    expect(made).toMatchObject({ status: 'OPEN', receiverAddress: null, orderStatus: null, claimedAt: null });
    expect(await read({ id })).toEqual(made);
    expect((await client.get(`/minting/${id}`)).body).toMatchObject({
      status: 'PENDING',
      receiverAddress: zeroAddress,
      txHash: null,
    });
    await cleanUpAfter(30);
    expect(await read({ id })).toEqual(made);
  });

  it('is not the oldest unfinished order of the service', async () => {
    const oldest = '0'.repeat(23).concat('1');
    const { id } = await link({ contractAddress: units, tokenId: '4100', amount: 1 });
    await database.query(
      `insert into orders (id, kind, order_id, resource, corporate_account_id, chain_id, wallet_address, contract_address, state, next_try_at)
       select $1, kind, $1, resource, corporate_account_id, chain_id, wallet_address, contract_address, state, next_try_at from orders where id = $2`,
      [oldest, id],
    );
    expect((await oldestUnfinished()).id).toBe(oldest);
    await database.query('update orders set approval_until = next_try_at where id = $1', [oldest]);
    expect((await oldestUnfinished())?.id).not.toBe(oldest);
    await database.query('delete from orders where id = $1', [oldest]);
  });

  it('is shown with its issuer to whoever has its link, and to nobody else', async () => {
    const one = await link();
    const { status, body } = await open(one);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id: one.id,
        status: 'OPEN',
        issuer: null,
        walletAddress: client.account.walletAddress,
        contractAddress: tickets,
        contractName: 'Test tokens',
        tokenId: one.claim.tokenId,
        name: 'A token',
        needsPin: false,
        receiverAddress: null,
        orderStatus: null,
      }),
    ]);
    await confirmIssuer(client.account.corporateId, ACME, stack.settings['DATABASE_URL'] ?? '');
    const foreign = await deployElsewhere(client.account.walletAddress);
    const registration = { chainId, contractAddress: foreign, ercStandard: '721', contractType: 'standard' };
    await client.post('/contracts/register', registration);
    expect((await open(one)).body.issuer).toEqual(ACME);
    expect((await open(await link({ contractAddress: foreign }))).body.issuer).toBeNull();
    await confirmIssuer(client.account.corporateId, null, stack.settings['DATABASE_URL'] ?? '');
    const other = await link();
    const refusals = await Promise.all([
      open({ ...one, secret: other.secret }),
      open({ ...one, secret: '' }),
      open({ ...one, id: '0'.repeat(24) }),
      open({ ...one, id: 'no-id' }),
      open({ ...one, id: '%00' }),
      claim({ ...one, secret: other.secret }),
      claim({ ...one, id: '0'.repeat(24) }),
      claim({ ...one, id: 'no-id' }),
    ]);
    const texts = refusals.map(({ status: code, body: reply }) => [code, reply.code, reply.message, reply.errors]);
    expect(texts).toEqual(refusals.map(() => [404, 'not_found', 'Claim not found', undefined]));
  });

  it('becomes a mint to the address that is named, and tells the account', async () => {
    const one = await link();
    const to = newSigner().address;
    const { status, body } = await claim(one, to);
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'CLAIMED', receiverAddress: to })]);
    expect(await minted(one)).toMatchObject({ status: 'CONFIRMED', receiverAddress: to });
    expect(await ownerOf(one.claim.tokenId)).toBe(to);
    expect((await open(one)).body).toMatchObject({
      status: 'CLAIMED',
      orderStatus: 'CONFIRMED',
      receiverAddress: to,
      txHash: expect.stringMatching(/^0x/),
    });
    await expect.poll(() => eventTypes(one), { timeout: 20_000 }).toHaveLength(2);
    expect(eventTypes(one).toSorted()).toEqual(['claim.claimed', 'mint.confirmed']);
    expect(eventsOf(one).find(({ event }) => event.type === 'claim.claimed')?.event.data).toEqual({
      claimId: one.id,
      chainId,
      contractAddress: tickets,
      tokenId: one.claim.tokenId,
      amount: 1,
      metadataId: one.claim.metadataId,
      receiverAddress: to,
    });
  });

  it('of an ERC-1155 token mints its amount', async () => {
    const one = await link({ contractAddress: units, amount: 3 });
    const to = newSigner().address;
    await claim(one, to);
    expect(await minted(one)).toMatchObject({ status: 'CONFIRMED', amount: 3 });
    const balance = { ...standard1155, address: units, functionName: 'balanceOf' } as const;
    expect(await chainClient().readContract({ ...balance, args: [to, BigInt(one.claim.tokenId)] })).toBe(3n);
  });

  it('of a certificate mints its document', async () => {
    const { contractAddress } = await deployContract(client, { contractType: 'certificate' });
    const document = (await client.post('/metadata', certificateInput)).body;
    const fields = { contractAddress, metadataId: document._id, metadataHash: document.metadataHash };
    const tokenUri = `${stack.url}/metadata/${contractAddress}/7`;
    const one = await link({ ...fields, tokenId: '7', tokenUri });
    expect((await open(one)).body).toMatchObject({ isCertificate: true });
    await claim(one);
    expect(await minted(one)).toMatchObject({ status: 'CONFIRMED' });
    const refused = await client.post('/claims', { ...fields, chainId, tokenUri, tokenIds: { from: '8', to: '9' } });
    expect([refused.status, refused.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      expect.arrayContaining(['tokenUri']),
    ]);
  });
});

describe('of the requests for one link', () => {
  it('50 at once for one address make one mint, and get the same reply', async () => {
    const one = await link();
    const to = newSigner().address;
    const replies = await Promise.all(Array.from({ length: 50 }, () => claim(one, to)));
    expect(new Set(statusesOf(replies))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.receiverAddress))).toEqual(new Set([to]));
    expect(await minted(one)).toMatchObject({ status: 'CONFIRMED', receiverAddress: to });
    expect((await claim(one, to.toLowerCase())).status).toBe(200);
    await expect.poll(() => eventTypes(one), { timeout: 20_000 }).toHaveLength(2);
    const balance = { ...standard721, address: tickets, functionName: 'balanceOf', args: [to] } as const;
    expect(await chainClient().readContract(balance)).toBe(1n);
  });

  it('50 at once for different addresses make one mint, and 49 are refused', async () => {
    const one = await link();
    const replies = await Promise.all(Array.from({ length: 50 }, () => claim(one)));
    const accepted = replies.filter(({ status }) => status === 200);
    expect(accepted).toHaveLength(1);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(['409 claim_not_open']),
    );
    const to = accepted[0]?.body.receiverAddress;
    expect(await minted(one)).toMatchObject({ status: 'CONFIRMED', receiverAddress: to });
    expect(await ownerOf(one.claim.tokenId)).toBe(to);
  });

  it.each([1, 2, 3, 4])('a claim and a cancellation at once have one effect (%i)', async () => {
    const one = await link();
    const [claimed, cancelled] = await Promise.all([claim(one), cancel(one)]);
    expect(statusesOf([claimed, cancelled])).toEqual([200, 409]);
    const status = claimed.status === 200 ? 'CONFIRMED' : 'CANCELLED';
    expect(await client.until(`/minting/${one.id}`, ['CONFIRMED', 'CANCELLED', 'FAILED'])).toMatchObject({ status });
    expect((await read(one)).status).toBe(claimed.status === 200 ? 'CLAIMED' : 'CANCELLED');
  });
});

describe('a receiver', () => {
  it.each([
    ['with a wrong checksum', () => '0x8ba1f109551bD432803012645Ac136ddd64DBA7a'],
    ['that is the zero address', () => zeroAddress],
    ['that is the contract', () => tickets],
    ['that is no address', () => 'me'],
  ])('%s is 400, and the claim stays open', async (_, to) => {
    const one = await link();
    const { status, body } = await claim(one, to());
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ['receiverAddress']]);
    expect((await read(one)).status).toBe('OPEN');
  });
});

describe('a PIN', () => {
  it('is needed, and a right one claims the token', async () => {
    const one = await link({ pin: '0420' });
    expect((await open(one)).body).toMatchObject({ needsPin: true });
    const without = await claim(one);
    expect([without.status, without.body.errors]).toEqual([400, [expect.objectContaining({ path: 'pin' })]]);
    const wrong = await claim(one, receiverAddress, '0421');
    expect([wrong.status, wrong.body.code, wrong.body.message]).toEqual([
      403,
      'wrong_pin',
      'The PIN is wrong. Attempts left: 9',
    ]);
    expect(await read(one)).toMatchObject({ status: 'OPEN', hasPin: true, pinFailures: 1 });
    expect((await claim(one, newSigner().address, '0420')).body).toMatchObject({ status: 'CLAIMED', needsPin: false });
  });

  it('is compared ten times in all, however many are sent at once: the right one among the last is refused', async () => {
    const one = await link({ pin: '9999' });
    const guesses = Array.from({ length: 60 }, (_, index) => claim(one, receiverAddress, String(1_000 + index)));
    const replies = await Promise.all(guesses);
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(10);
    expect(replies.filter(({ status, body }) => status === 409 && body.code === 'claim_not_open')).toHaveLength(50);
    expect((await claim(one, receiverAddress, '9999')).status).toBe(409);
    expect(await read(one)).toMatchObject({ status: 'BLOCKED', pinFailures: 10, receiverAddress: null });
    expect((await cancel(one)).body).toMatchObject({ status: 'CANCELLED' });
  });

  it('is compared only after those that were sent before it', async () => {
    const one = await link({ pin: '9999' });
    const guesses = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await guesses.connect();
    await guesses.query('begin');
    await guesses.query('update claims set pin_failures = 10 where id = $1', [one.id]);
    const right = claim(one, receiverAddress, '9999');
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%pin_failures%'`;
    await expect.poll(async () => (await database.query(waiting)).rowCount).toBe(1);
    await guesses.query('commit');
    await guesses.end();
    expect((await right).status).toBe(409);
  });

  it('cannot be found from the database', async () => {
    const one = await link({ pin: '1234' });
    const { rows } = await database.query('select * from claims where id = $1', [one.id]);
    expect(JSON.stringify(rows)).not.toContain(one.secret);
    const other = await database.query('select pin_hash from claims where id = $1', [(await link({ pin: '1234' })).id]);
    expect(other.rows[0].pin_hash).not.toBe(rows[0].pin_hash);
    // All else that the body had is known: its hash would tell which of the few PINs it had.
    const audit = await database.query('select body_hash from audit_log where $1 = any(resource_ids)', [one.id]);
    expect(audit.rows).toEqual([{ body_hash: null }]);
  });
});

describe('a claim that nobody may use any more', () => {
  it('is EXPIRED once its time is over, cancels its mint and tells the account', async () => {
    const one = await link();
    await expire(one);
    expect((await read(one)).status).toBe('EXPIRED');
    expect([(await claim(one)).status, (await cancel(one)).status]).toEqual([409, 409]);
    await cleanUpAfter(30);
    expect(await client.until(`/minting/${one.id}`, ['CANCELLED', 'FAILED', 'CONFIRMED'])).toMatchObject({
      status: 'CANCELLED',
      errorMessage: expect.stringMatching(/^Not claimed by \d{4}-/),
    });
    await expect.poll(() => eventTypes(one), { timeout: 20_000 }).toHaveLength(2);
    expect(eventTypes(one).toSorted()).toEqual(['claim.expired', 'mint.cancelled']);
    expect((await open(one)).body).toMatchObject({ status: 'EXPIRED', orderStatus: null });
  });

  it('is CANCELLED by the account, which frees token and metadata and sends no claim.expired', async () => {
    const fields = await claimOf();
    const one = linkOf((await client.post('/claims', fields)).body);
    expect((await client.post('/claims', fields)).status).toBe(409);
    expect((await cancel(one)).body).toMatchObject({ status: 'CANCELLED' });
    expect((await cancel(one)).status).toBe(409);
    expect((await client.get(`/minting/${one.id}`)).body).toMatchObject({
      status: 'CANCELLED',
      errorMessage: 'Cancelled before it was claimed',
    });
    expect((await claim(one)).body).toMatchObject({ code: 'claim_not_open', message: 'Its issuer has cancelled it' });
    const again = linkOf((await client.post('/claims', fields)).body);
    await claim(again);
    expect(await minted(again)).toMatchObject({ status: 'CONFIRMED' });
    expect(eventTypes(one)).toEqual(['mint.cancelled']);
  });

  it('is CANCELLED with its minting order, too', async () => {
    const one = await link();
    expect((await client.post('/minting/cancel', { id: one.id })).body).toMatchObject({ status: 'CANCELLED' });
    expect((await read(one)).status).toBe('CANCELLED');
    expect((await claim(one)).status).toBe(409);
  });
});

describe('a token', () => {
  it('that an order is under way for cannot be claimed, nor ordered while it can', async () => {
    const one = await link();
    const { tokenId } = one.claim;
    expect((await create({ tokenId })).body.message).toBe(`Order ${one.id} for token ${tokenId} is under way`);
    const order = {
      chainId,
      contractAddress: tickets,
      receiverAddress,
      tokenId,
      metadataId: await createMetadata(client),
    };
    expect((await client.post('/minting/order', order)).status).toBe(409);
    expect((await create({ metadataId: one.claim.metadataId })).status).toBe(409);
  });

  it('gets one claim of those that are made at once', async () => {
    const tokenId = String((lastToken += 1));
    const bodies = await Promise.all(Array.from({ length: 12 }, () => claimOf({ tokenId })));
    const replies = await Promise.all(bodies.map((body) => client.post('/claims', body)));
    expect(statusesOf(replies)).toEqual([201, ...Array.from({ length: 11 }, () => 409)]);
    const twice = await client.post('/claims/batch', {
      claims: await Promise.all([claimOf({ tokenId: '900' }), claimOf({ tokenId: '900' })]),
    });
    expect(twice.body.results.map(({ statusCode }: Reply['body']) => statusCode)).toEqual([201, 409]);
  });

  it('of a range is the lowest that no order has, for each of those that are made at once', async () => {
    const tokenIds = { from: '1000', to: '1029' };
    await link({ tokenId: '1001' });
    await cancel(await link({ tokenId: '1002' }));
    const bodies = await Promise.all(Array.from({ length: 20 }, () => claimOf({ tokenIds })));
    const replies = await Promise.all(bodies.map((body) => client.post('/claims', body)));
    const numbers = replies.map(({ body }) => Number(body.tokenId)).toSorted((a, b) => a - b);
    expect(numbers).toEqual([1_000, ...Array.from({ length: 19 }, (_, index) => 1_002 + index)]);
    const batch = await client.post('/claims/batch', {
      claims: await Promise.all(Array.from({ length: 12 }, () => claimOf({ tokenIds }))),
    });
    expect([batch.body.accepted, batch.body.refused]).toEqual([9, 3]);
    expect(batch.body.results.slice(0, 9).map((result: Reply['body']) => result.claim.tokenId)).toEqual(
      Array.from({ length: 9 }, (_, index) => String(1_021 + index)),
    );
    expect(batch.body.results.at(-1)).toMatchObject({
      statusCode: 409,
      code: 'token_unavailable',
      message: 'Every token from 1000 to 1029 has an order',
    });
  });

  it('of a range is found among many orders that the statistics of the database do not know yet', async () => {
    const { contractAddress } = await deployContract(client, { ercStandard: '1155' });
    const own = { contractAddress, amount: 1 };
    const { id } = await link({ ...own, tokenId: '0' });
    await database.query(
      `insert into orders (id, kind, order_id, resource, corporate_account_id, chain_id, wallet_address, contract_id, contract_address,
         erc_standard, token_id, amount, receiver_address, metadata_id, state, is_final, next_try_at)
       select v.id, kind, v.id, resource, corporate_account_id, chain_id, '', contract_id, contract_address, erc_standard, n::text, 1,
         receiver_address, metadata_id, 'confirmed', true, now()
       from orders o, (select n, substr(md5($1 || n), 1, 24) as id from generate_series(1, 40000) n) v where o.id = $1`,
      [id],
    );
    // Connections that keep plans plan anew, as the hosted database does: the plans for the few rows before read the
    // whole table for each token.
    await database.query('alter table orders reset (autovacuum_enabled)');
    expect((await link({ ...own, tokenIds: { from: '39990', to: '49989' } })).claim.tokenId).toBe('40001');
    const full = await create({ ...own, tokenIds: { from: '1', to: '10000' } });
    expect([full.status, full.body.code]).toEqual([409, 'token_unavailable']);
    const ranges = [
      ['1', '9000'],
      ['1', '9000'],
      ['2', '1002'],
      ['1', '1000'],
    ] as const;
    const claims = await Promise.all(ranges.map(([from, to]) => claimOf({ ...own, tokenIds: { from, to } })));
    const { body } = await client.post('/claims/batch', { claims });
    expect(body.results.map(({ statusCode }: Reply['body']) => statusCode)).toEqual([409, 409, 400, 409]);
    expect(body.results[2].errors).toMatchObject([{ path: 'tokenIds', code: 'not_allowed' }]);
    // Other files count the orders of all accounts.
    await database.query("delete from orders where contract_address = $1 and state = 'confirmed'", [contractAddress]);
  });

  it('of a range has no bound', async () => {
    const to = (2n ** 256n - 1n).toString();
    const first = await link({ tokenIds: { from: to, to } });
    expect(first.claim.tokenId).toBe(to);
    expect((await create({ tokenIds: { from: to, to } })).status).toBe(409);
  });

  it('must be named where the contract may have tokens without an order', async () => {
    const contractAddress = await deployElsewhere(client.account.walletAddress);
    const registration = { chainId, contractAddress, ercStandard: '721', contractType: 'standard' };
    expect((await client.post('/contracts/register', registration)).status).toBe(201);
    const { status, body } = await create({ contractAddress, tokenIds: { from: '1', to: '5' } });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path: 'tokenIds', code: 'not_allowed' })]]);
  });
});

describe('a request for claims', () => {
  it('gets every fault at once', async () => {
    const { status, body } = await client.post('/claims', {
      chainId: '1',
      contractAddress: tickets,
      metadataId: 'x',
      tokenIds: { from: '2', to: '1' },
      expiresAt: 'tomorrow',
      pin: '12',
      receiverAddress,
    });
    expect([status, body.errors.map(({ path }: { path: string }) => path).toSorted()]).toEqual([
      400,
      ['chainId', 'expiresAt', 'metadataId', 'pin', 'receiverAddress', 'tokenIds.to'],
    ]);
    const soon = new Date(Date.now() + 1_000).toISOString();
    const second = await create({ tokenId: undefined, expiresAt: soon, amount: 2 });
    expect(second.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'amount',
      'expiresAt',
      'tokenId',
    ]);
    const late = new Date(Date.now() + 366 * 86_400_000).toISOString();
    const third = await create({ tokenIds: { from: '1', to: '10000' }, tokenId: '1', expiresAt: late });
    expect(third.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual(['expiresAt', 'tokenIds']);
    expect((await create({ tokenIds: { from: '1', to: '10001' } })).status).toBe(400);
    const fourth = await create({ tokenIds: { from: '1', to: '1\u0000', step: '1' } });
    expect(fourth.body.errors.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'tokenIds.step',
      'tokenIds.to',
    ]);
  });

  it('has a result for each, in order', async () => {
    const claims = [await claimOf(), { chainId }, await claimOf({ contractAddress: receiverAddress }), await claimOf()];
    const { status, body } = await client.post('/claims/batch', { claims });
    expect([status, body.accepted, body.refused]).toEqual([200, 2, 2]);
    expect(body.results.map(({ index, statusCode }: Reply['body']) => [index, statusCode])).toEqual([
      [0, 201],
      [1, 400],
      [2, 404],
      [3, 201],
    ]);
    expect((await open(linkOf(body.results[3].claim))).status).toBe(200);
  });

  it('sent again with its Idempotency-Key gets the same links, which are stored encrypted', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    const claims = await Promise.all([claimOf(), claimOf({ pin: '1234' })]);
    const first = await client.post('/claims/batch', { claims }, key);
    await replyStored(key['idempotency-key']);
    const again = await client.post('/claims/batch', { claims }, key);
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true']);
    const { secret } = linkOf(first.body.results[0].claim);
    const { rows } = await database.query('select body, is_encrypted from idempotency_keys where key = $1', [
      key['idempotency-key'],
    ]);
    expect([rows[0].is_encrypted, rows[0].body.includes(secret)]).toEqual([true, false]);
  });

  it('sent again after a crash finds the claim, without its link', async () => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    const body = await claimOf();
    const first = await client.post('/claims', body, key);
    await forgetReply(key['idempotency-key']);
    const again = await client.post('/claims', body, key);
    expect([again.status, again.body]).toEqual([201, { ...first.body, url: null }]);
  });

  it('is recorded in the audit log, and counted by the limits of the account', async () => {
    const limited = await newClient();
    const { contractAddress } = await deployContract(limited);
    const limits = (body: Fields) =>
      call(`/admin/accounts/${limited.account.corporateId}/limits`, {
        method: 'PUT',
        headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const make = async (tokenId: string) =>
      limited.post('/claims', {
        chainId,
        contractAddress,
        tokenId,
        metadataId: await createMetadata(limited),
      });
    await limits({ pendingOrders: 1 });
    const first = await make('1');
    expect(first.status).toBe(201);
    const second = await make('2');
    expect([second.status, second.body.code]).toEqual([429, 'limit_reached']);
    const { items } = (await ask(adminOf(limited), `/audit?resourceId=${first.body.id}`)).body;
    expect(items).toEqual([expect.objectContaining({ route: '/claims', statusCode: 201 })]);
    const one = linkOf(first.body);
    await claim(one);
    await limited.until(`/minting/${one.id}`, ['CONFIRMED']);
    expect((await make('2')).status).toBe(201);
    await limits({ receivers: [receiverAddress] });
    const third = await make('3');
    expect([third.status, third.body.errors[0].path]).toEqual([403, 'receivers']);
    await limits({});
  });
});

describe('the list', () => {
  it('has the claims of the account by state, contract and time', async () => {
    const own = await newClient();
    const [one, other] = await Promise.all([deployContract(own), deployContract(own)]);
    const make = async ({ contractAddress }: Fields, tokenId: string, fields: Fields = {}) =>
      linkOf(
        (
          await own.post('/claims', {
            chainId,
            contractAddress,
            tokenId,
            metadataId: await createMetadata(own),
            ...fields,
          })
        ).body,
      );
    const opened = await make(one, '1');
    const claimed = await make(one, '2');
    const cancelled = await make(other, '1');
    const expired = await make(other, '2');
    const blocked = await make(other, '3', { pin: '1234' });
    await claim(claimed);
    await own.post(`/claims/${cancelled.id}/cancel`, '');
    await expire(expired);
    await database.query('update claims set pin_failures = 10 where id = $1', [blocked.id]);
    const ids = async (query: string) =>
      (await own.get(`/claims?${query}`)).body.items.map(({ id }: Reply['body']) => id);
    const all = [blocked, expired, cancelled, claimed, opened].map(({ id }) => id);
    expect(await ids('')).toEqual(all);
    expect(await ids('status=OPEN')).toEqual([opened.id]);
    expect(await ids('status=CLAIMED')).toEqual([claimed.id]);
    expect(await ids('status=CANCELLED')).toEqual([cancelled.id]);
    expect(await ids('status=EXPIRED')).toEqual([expired.id]);
    expect(await ids('status=BLOCKED')).toEqual([blocked.id]);
    expect(await ids(`contractAddress=${other.contractAddress}`)).toEqual(all.slice(0, 3));
    expect(await ids('createdTo=2026-01-01T00:00:00Z')).toEqual([]);
    const page = (await own.get('/claims?limit=2')).body;
    expect(page.nextCursor).toBe(expired.id);
    expect(await ids(`limit=2&cursor=${page.nextCursor}`)).toEqual(all.slice(2, 4));
  });
});

/** Code that writes to so many storage slots, and then accepts a token. */
const receiving = (slots: number): Hex =>
  concat([
    ...Array.from({ length: slots }, (_, slot): Hex => `0x600160${toHex(slot, { size: 1 }).slice(2)}55`),
    ACCEPTS,
  ]);
/** Returns the answer of `onERC721Received`. */
const ACCEPTS: Hex = '0x63150b7a0260e01b5f5260205ff3';

const placed = async (code: Hex): Promise<Address> => {
  const { address } = newSigner();
  await setCode(address, code);
  return address;
};
const asOperator = (action: string) =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, { method: 'POST', headers: adminOf(client) });

describe('a receiver with code', () => {
  it('that needs little gas gets the token: a smart wallet, and an account that has delegated to one', async () => {
    const wallet = await placed(receiving(1));
    const delegated = await placed(concat(['0xef0100', wallet]));
    for (const to of [wallet, delegated]) {
      const one = await link();
      expect(await claim(one, to)).toMatchObject({ status: 200, body: { status: 'CLAIMED' } });
      expect(await minted(one)).toMatchObject({ status: 'CONFIRMED', receiverAddress: to });
    }
  });

  it.each([
    ['uses much gas', receiving(40)],
    ['refuses the token', '0x5f5ffd'],
  ] as const)('that %s is refused, and the claim stays open', async (_, code) => {
    const one = await link();
    const { status, body } = await claim(one, await placed(code));
    expect([status, body.errors]).toEqual([
      400,
      [{ path: 'receiverAddress', code: 'not_allowed', message: expect.stringContaining('name another address') }],
    ]);
    expect(await read(one)).toMatchObject({ status: 'OPEN' });
    expect((await claim(one)).status).toBe(200);
  });

  it('that it gets after the claim spends nothing of the wallet', async () => {
    const one = await link();
    expect((await asOperator('pause')).status).toBe(200);
    const to = newSigner().address;
    expect((await claim(one, to)).status).toBe(200);
    await setCode(to, receiving(40));
    expect((await asOperator('resume')).status).toBe(200);
    expect(await minted(one)).toMatchObject({
      status: 'FAILED',
      txHash: null,
      errorMessage: expect.stringContaining("The receiver's code uses"),
    });
  });
});
