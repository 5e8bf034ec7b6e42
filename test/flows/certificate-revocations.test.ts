import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Client as Postgres } from 'pg';
import type { Address } from 'viem';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { call, chainClient, deployContract, newClient, stack, type Client, type Reply } from '../fixtures/client.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { burnData, deployForwarder, newSigner, sendAs, signedBurn, type Signer } from '../fixtures/gasless.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { adminOf, keyHeaders, makeKey } from '../fixtures/keys.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- replies are read by the tests, which say what they expect
type Loose = any;

const chainId = '43114';
const ENDED = ['CONFIRMED', 'CANCELLED', 'FAILED'];
const reason = 'Reported stolen';
const chain = chainClient();

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let single: Address;
let units: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  forwarder = await deployForwarder(client);
  [single, units] = await Promise.all([
    deployed({ burnAuth: 'both' }),
    deployed({ burnAuth: 'issuer', ercStandard: '1155' }),
  ]);
});
afterEach(() => pause('resume'));

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, {
    method: 'POST',
    headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
  });

const limit = (limits: object) =>
  call(`/admin/accounts/${client.account.corporateId}/limits`, {
    method: 'PUT',
    headers: { ...adminOf(client), 'content-type': 'application/json' },
    body: JSON.stringify(limits),
  });

async function deployed(fields: Record<string, unknown>): Promise<Address> {
  const contract = await deployContract(client, {
    contractType: 'certificate',
    trustedForwarder: forwarder,
    ...fields,
  });
  expect(contract['burnAuth']).toBe(fields['burnAuth'] ?? 'holder');
  return contract.contractAddress;
}

let lastToken = 0;

interface Issued {
  readonly holder: Signer;
  readonly contractAddress: Address;
  readonly tokenId: string;
}

async function issued(contractAddress: Address, amount?: number): Promise<Issued> {
  const holder = newSigner();
  const tokenId = String((lastToken += 1));
  const { body: document } = await client.post('/metadata', certificateInput);
  const { status, body } = await client.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder.address,
    tokenId,
    metadataId: document._id,
    tokenUri: `${stack.settings['METADATA_BASE_URI']}/${contractAddress}/${tokenId}`,
    metadataHash: document.metadataHash,
    ...(amount === undefined ? {} : { amount }),
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  expect(await client.until(`/minting/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  return { holder, contractAddress, tokenId };
}

const bodyOf = ({ holder, contractAddress, tokenId }: Issued, fields: object = {}) => ({
  chainId,
  contractAddress,
  tokenId,
  from: holder.address,
  reason,
  ...fields,
});
const revoke = (certificate: Issued, fields: object = {}) =>
  client.post('/certificates/revoke', bodyOf(certificate, fields));
const revokeAll = (revocations: readonly unknown[], headers: Record<string, string> = {}) =>
  client.post('/certificates/revoke/batch', { revocations }, headers);
const ended = ({ body }: Reply) => client.until(`/certificates/revoke/${body.id}`, ENDED);
const read = async (method: string, { contractAddress }: Issued, args: readonly string[]) =>
  (await client.post('/contracts/read', { chainId, contractAddress, method, args })).body;
const reissue = (certificate: Issued, fields: object = {}) =>
  client.post('/certificates/reissue', { ...bodyOf(certificate), receiverAddress: newSigner().address, ...fields });
const mintOf = ({ body }: Reply) => client.until(`/minting/${body.mint.id}`, ENDED);
const revocationIn = ({ body }: Reply) => client.until(`/certificates/revoke/${body.revocation.id}`, ENDED);
const documentOf = async (certificate: Issued) => [
  await read('getMetadataHash', certificate, [certificate.tokenId]),
  await read('tokenURI', certificate, [certificate.tokenId]),
];
const revocationOf = (certificate: Issued) =>
  chain.readContract({
    abi: certificate721.abi,
    address: certificate.contractAddress,
    functionName: 'revocationOf',
    args: [BigInt(certificate.tokenId)],
  });
const issuesOf = ({ status, body }: Reply): Record<string, string> => {
  expect(status).toBe(400);
  return Object.fromEntries(body.errors.map(({ path, message }: Record<string, string>) => [path, message]));
};

async function expectEvent(type: string, data: Record<string, unknown>) {
  const find = () => receiver.deliveries.filter(({ event }) => event.type === type).map(({ event }) => event.data);
  await expect.poll(find).toContainEqual(data);
}

describe('who may burn the certificates of a contract', () => {
  it.each([
    [undefined, 1],
    ['issuer', 0],
    ['both', 2],
    ['neither', 3],
  ])('is fixed at deployment, in its record and on the chain: %s', async (burnAuth, onChain) => {
    const certificate = await issued(await deployed(burnAuth === undefined ? {} : { burnAuth }));
    const { abi } = certificate721;
    const args = [BigInt(certificate.tokenId)] as const;
    const address = certificate.contractAddress;
    expect(await chain.readContract({ abi, address, functionName: 'burnAuth', args })).toBe(onChain);
  });

  it('is a question of certificates only, and one of four answers', async () => {
    const fields = { name: 'Tokens', symbol: 'T', ercStandard: '721', contractType: 'standard' };
    expect(issuesOf(await client.post('/contracts/deploy', { ...fields, burnAuth: 'issuer' }))).toEqual({
      burnAuth: 'must be absent: the holders of a standard contract burn',
    });
    const other = { ...fields, contractType: 'certificate', burnAuth: 'everybody' };
    expect(issuesOf(await client.post('/contracts/deploy', other))).toEqual({
      burnAuth: 'must be one of issuer, holder, both, neither',
    });
    expect((await deployContract(client))['burnAuth']).toBeNull();
  });

  it('holds for holders without gas too: their burn is refused where only the issuer may', async () => {
    const certificate = await issued(units, 2);
    const { holder, ...token } = certificate;
    const { body } = signedBurn(holder, forwarder, { ...token, amount: 1 }, { nonce: 0 });
    expect(issuesOf(await client.post('/burn/execute', body))).toEqual({
      contractAddress: 'was deployed so that holders cannot burn its certificates',
    });
  });
});

describe('the revocation of a certificate', () => {
  it('ends the certificate: its order, its event and the chain say so, and its document stays public', async () => {
    const certificate = await issued(single);
    const path = `/metadata/${single}/${certificate.tokenId}`;
    const before = await call(path);
    const reply = await revoke(certificate);
    expect(reply).toMatchObject({
      status: 201,
      body: { ...bodyOf(certificate), status: 'PENDING', amount: 1, ercStandard: '721', reason },
    });
    const order = await ended(reply);
    expect(order).toMatchObject({ status: 'CONFIRMED', revocationGasUsed: expect.any(String), reason });
    await expectEvent('certificate-revocation.confirmed', order);
    expect((await client.get(`/certificates/revoke/by-tx/${String(order['txHash'])}`)).body).toEqual(order);
    const query = `contractAddress=${single}&from=${certificate.holder.address}&status=CONFIRMED`;
    expect((await client.get(`/certificates/revoke?${query}`)).body.items).toEqual([order]);
    expect(await read('getMetadataHash', certificate, [certificate.tokenId])).toMatchObject({ statusCode: 400 });
    const { blockNumber } = await chain.getTransactionReceipt({ hash: order['txHash'] as Address });
    const { timestamp } = await chain.getBlock({ blockNumber });
    expect(await revocationOf(certificate)).toEqual([client.account.walletAddress, timestamp]);
    expect(await call(path)).toMatchObject({ status: 200, body: before.body });
    const { body: wallet } = await client.get(`/api/wallet/nfts?wallet=${certificate.holder.address}`);
    expect(wallet.items).toEqual([]);
  });

  it('takes as many ERC-1155 units as it says', async () => {
    const certificate = await issued(units, 5);
    expect(issuesOf(await revoke(certificate))).toEqual({ amount: 'is required for an ERC-1155 contract' });
    expect(issuesOf(await revoke(certificate, { amount: 6 }))).toEqual({
      amount: `is more than the balance: from holds 5 of token ${certificate.tokenId}`,
    });
    expect(await ended(await revoke(certificate, { amount: 3 }))).toMatchObject({ status: 'CONFIRMED', amount: 3 });
    expect(await read('balanceOf', certificate, [certificate.holder.address, certificate.tokenId])).toBe('2');
  });

  it('is one order for one Idempotency-Key, also when it has been executed in between', async () => {
    const certificate = await issued(units, 5);
    const headers = { 'idempotency-key': `revoke-${certificate.tokenId}-${certificate.holder.address}` };
    const post = () => client.post('/certificates/revoke', bodyOf(certificate, { amount: 3 }), headers);
    const first = await post();
    expect(await ended(first)).toMatchObject({ status: 'CONFIRMED' });
    expect((await post()).body.id).toBe(first.body.id);
    expect(await read('balanceOf', certificate, [certificate.holder.address, certificate.tokenId])).toBe('2');
  });

  it('is refused for one that its contract lets only its holder burn, and for one that somebody else holds', async () => {
    const own = await issued(await deployed({}));
    expect(await revoke(own)).toMatchObject({
      status: 409,
      body: {
        message: expect.stringMatching(
          /^The contract was deployed so that only their holders can burn its certificates .* you can never revoke them\. .* burnAuth issuer or both$/,
        ),
      },
    });
    const frozen = await issued(await deployed({ burnAuth: 'neither' }));
    expect(await revoke(frozen)).toMatchObject({ status: 409 });
    const certificate = await issued(single);
    expect(issuesOf(await revoke({ ...certificate, holder: newSigner() }))).toEqual({
      from: `is not the holder of token ${certificate.tokenId}: ${certificate.holder.address} is`,
    });
    expect(
      await revoke({ ...certificate, contractAddress: (await deployContract(client)).contractAddress }),
    ).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/^Active certificate contract not found: /) },
    });
    expect(issuesOf(await revoke(certificate, { reason: ' ' }))).toEqual({ reason: 'must have 1 to 500 characters' });
  });

  it('is for the issuer alone: another account, and a key without the scope, get nothing', async () => {
    const certificate = await issued(single);
    const stranger = await newClient();
    expect((await stranger.post('/certificates/revoke', bodyOf(certificate))).status).toBe(404);
    const key = await makeKey(client, { scopes: ['read', 'mint', 'transfer', 'ownership'] });
    const headers = { ...keyHeaders(key), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(bodyOf(certificate)) };
    expect((await call('/certificates/revoke', init)).status).toBe(403);
    const order = await ended(await revoke(certificate));
    expect((await stranger.get(`/certificates/revoke/${String(order['id'])}`)).status).toBe(404);
    expect((await stranger.get('/certificates/revoke')).body.items).toEqual([]);
  });

  it('has no effect once it is cancelled, and is FAILED if the holder has burned the certificate by then', async () => {
    const [kept, burned] = [await issued(single), await issued(single)];
    await pause('pause');
    const [first, second] = [await revoke(kept), await revoke(burned)];
    const cancelled = await client.post('/certificates/revoke/cancel', { id: first.body.id });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    await sendAs(burned.holder, burnData(burned.holder.address, burned), single);
    await pause('resume');
    await expectEvent('certificate-revocation.cancelled', cancelled.body);
    expect(await read('ownerOf', kept, [kept.tokenId])).toBe(kept.holder.address);
    const order = await ended(second);
    expect(order).toMatchObject({ status: 'FAILED', errorMessage: expect.stringContaining('ERC721NonexistentToken') });
    await expectEvent('certificate-revocation.failed', order);
  });
});

it('five equal revocations at once are one order, and another one once it has ended', async () => {
  const { holder, contractAddress, tokenId } = await issued(units, 3);
  const body = { chainId, contractAddress, tokenId, from: holder.address, amount: 1, reason };
  await pause('pause');
  const replies = await Promise.all(Array.from({ length: 5 }, () => client.post('/certificates/revoke', body)));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
  const id = replies.find(({ status }) => status === 201)?.body.id;
  for (const reply of replies.filter(({ status }) => status === 409)) {
    expect(reply.body.message).toBe(`Order ${id} revokes the same and is under way`);
  }
  await pause('resume');
  expect(await client.until(`/certificates/revoke/${id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  expect((await client.post('/certificates/revoke', body)).status).toBe(201);
});

describe('POST /certificates/revoke/batch', () => {
  it('revokes each certificate that it can, and refuses each other as its own request would be', async () => {
    const [first, second, other, own] = [
      await issued(single),
      await issued(units, 3),
      await issued(single),
      await issued(await deployed({})),
    ];
    const standard = (await deployContract(client)).contractAddress;
    const revocations = [
      bodyOf(first),
      bodyOf(other, { from: newSigner().address }),
      bodyOf(other, { reason: ' ', tokenId: '-1', more: 1 }),
      bodyOf(other, { contractAddress: standard }),
      bodyOf(own),
      bodyOf(second),
      bodyOf(other, { amount: 2 }),
      bodyOf(other, { chainId: '1' }),
      null,
      bodyOf(second, { amount: 2 }),
    ];
    const { status, body } = await revokeAll(revocations);
    expect([status, body.accepted, body.refused]).toEqual([200, 2, 8]);
    expect(body.results.map(({ index, statusCode }: Loose) => [index, statusCode])).toEqual(
      [201, 400, 400, 404, 409, 400, 400, 400, 400, 201].map((code, index) => [index, code]),
    );
    expect(body.results[2].errors.map(({ path }: Loose) => path)).toEqual(['tokenId', 'reason', 'more']);
    for (const index of [1, 2, 3, 4, 5, 6, 7]) {
      const { statusCode, message, errors } = body.results[index];
      const alone = (await client.post('/certificates/revoke', revocations[index])).body;
      expect({ statusCode, message, errors }).toEqual({
        statusCode: alone.statusCode,
        message: alone.message,
        errors: alone.errors,
      });
    }
    for (const { revocation } of [body.results[0], body.results[9]]) {
      const order = await client.until(`/certificates/revoke/${revocation.id}`, ENDED);
      expect(order).toMatchObject({ status: 'CONFIRMED', reason });
      await expectEvent('certificate-revocation.confirmed', order);
    }
    expect(await read('ownerOf', other, [other.tokenId])).toBe(other.holder.address);
    expect(await read('balanceOf', second, [second.holder.address, second.tokenId])).toBe('1');
  });

  it('refuses what is equal to an earlier one, of the batch or under way, and nothing else', async () => {
    const [first, second] = [await issued(single), await issued(units, 3)];
    await pause('pause');
    const earlier = await revoke(first);
    const one = bodyOf(second, { amount: 1 });
    const { body } = await revokeAll([
      one,
      bodyOf(first),
      bodyOf(second, { amount: 2 }),
      one,
      { ...one, reason: 'Lost' },
    ]);
    expect(body.results.map(({ statusCode }: Loose) => statusCode)).toEqual([201, 409, 201, 409, 409]);
    const messages = body.results.map(({ message }: Loose) => message);
    expect(messages[1]).toBe(`Order ${earlier.body.id} revokes the same and is under way`);
    expect(messages.slice(3)).toEqual(
      Array(2).fill(`Order ${body.results[0].revocation.id} revokes the same and is under way`),
    );
    expect((await revokeAll([one])).body).toMatchObject({ accepted: 0, refused: 1, results: [{ statusCode: 409 }] });
  });

  it('is made once for one Idempotency-Key, also when it has been executed in between', async () => {
    const certificate = await issued(units, 5);
    const again = { 'idempotency-key': crypto.randomUUID() };
    const items = [bodyOf(certificate, { amount: 2 }), null, bodyOf(certificate, { amount: 1 })];
    const first = await revokeAll(items, again);
    for (const { revocation } of [first.body.results[0], first.body.results[2]]) {
      expect(await client.until(`/certificates/revoke/${revocation.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    }
    expect((await revokeAll(items, again)).body).toEqual(first.body);
    await forgetReply(again['idempotency-key']);
    const ids = (await revokeAll(items, again)).body.results.map(({ revocation }: Loose) => revocation?.id);
    expect(ids).toEqual(first.body.results.map(({ revocation }: Loose) => revocation?.id));
    expect(await read('balanceOf', certificate, [certificate.holder.address, certificate.tokenId])).toBe('2');
  });

  it("revokes no more than the account's limits allow", async () => {
    const certificates = [await issued(single), await issued(single), await issued(single)];
    const { ordersToday } = (await client.get('/limits')).body.used;
    await limit({ ordersPerDay: ordersToday + 1 });
    onTestFinished(async () => void (await limit({})));
    const [first = null, ...others] = certificates.map((one) => bodyOf(one));
    const { body } = await revokeAll([first, first, ...others]);
    expect(body.results.map(({ statusCode }: Loose) => statusCode)).toEqual([201, 409, 429, 429]);
    expect(body.results[3].errors[0].path).toBe('ordersPerDay');
    expect((await client.get('/limits')).body.used.ordersToday).toBe(ordersToday + 1);
    expect((await revokeAll(others)).headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('is refused as a whole for a body that is none, with every fault, and for a key without the scope', async () => {
    const reply = await client.post('/certificates/revoke/batch', { revocations: [], orders: [] });
    expect(issuesOf(reply)).toEqual({
      revocations: 'must have at least one revocation',
      orders: 'Unknown field orders',
    });
    const many = Array.from({ length: 101 }, () => null);
    expect(issuesOf(await revokeAll(many))).toEqual({ revocations: 'must have at most 100 revocations' });
    const key = await makeKey(client, { scopes: ['read', 'mint', 'transfer', 'ownership'] });
    const headers = { ...keyHeaders(key), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ revocations: [null] }) };
    expect((await call('/certificates/revoke/batch', init)).status).toBe(403);
  });
});

describe('POST /certificates/reissue', () => {
  it('revokes the certificate, and then mints it to another holder, with the same id and document', async () => {
    const certificate = await issued(single);
    const { tokenId } = certificate;
    const path = `/metadata/${single}/${tokenId}`;
    const [before, served] = [await documentOf(certificate), await call(path)];
    const { ordersToday } = (await client.get('/limits')).body.used;
    const receiverAddress = newSigner().address;
    await pause('pause');
    const reply = await reissue(certificate, { receiverAddress });
    const order = { contractAddress: single, receiverAddress, tokenId, amount: 1 };
    expect(reply).toMatchObject({
      status: 201,
      body: { revocation: { ...bodyOf(certificate), status: 'PENDING' }, mint: { ...order, status: 'PENDING' } },
    });
    const { revocation, mint } = reply.body;
    const detail = `Order ${revocation.id}, which it follows, is not CONFIRMED`;
    const waiting = { ...mint, hold: { reason: 'EARLIER_REQUEST', detail, since: mint.createdAt } };
    expect((await client.get(`/minting/${mint.id}`)).body).toEqual(waiting);
    expect((await client.get(`/minting?receiverAddress=${receiverAddress}`)).body.items).toEqual([waiting]);
    expect((await client.get('/limits')).body.used.ordersToday).toBe(ordersToday + 2);
    await pause('resume');
    const [revoked, minted] = [await revocationIn(reply), await mintOf(reply)];
    expect([revoked['status'], minted]).toMatchObject(['CONFIRMED', { ...order, status: 'CONFIRMED', hold: null }]);
    await expectEvent('certificate-revocation.confirmed', revoked);
    await expectEvent('mint.confirmed', minted);
    const types = receiver.deliveries.flatMap(({ event }) =>
      [revocation.id, mint.id].includes(event.data['id']) ? [event.type] : [],
    );
    expect([...new Set(types)]).toEqual(['certificate-revocation.confirmed', 'mint.confirmed']);
    expect(await read('ownerOf', certificate, [tokenId])).toBe(receiverAddress);
    expect(await documentOf(certificate)).toEqual(before);
    expect(await call(path)).toMatchObject({ status: 200, body: served.body });
    // It can be reissued again.
    const again = await reissue({ ...certificate, holder: { ...certificate.holder, address: receiverAddress } });
    expect([await revocationIn(again), await mintOf(again)]).toMatchObject([
      { status: 'CONFIRMED' },
      { status: 'CONFIRMED' },
    ]);
  });

  it('moves as many ERC-1155 units as it says, with the same metadata', async () => {
    const certificate = await issued(units, 5);
    const receiverAddress = newSigner().address;
    const reply = await reissue(certificate, { receiverAddress, amount: 2 });
    expect([await revocationIn(reply), await mintOf(reply)]).toMatchObject([
      { status: 'CONFIRMED', amount: 2 },
      { status: 'CONFIRMED', amount: 2 },
    ]);
    const holdings = [certificate.holder.address, receiverAddress].map((who) =>
      read('balanceOf', certificate, [who, certificate.tokenId]),
    );
    expect(await Promise.all(holdings)).toEqual(['3', '2']);
    const { items } = (await client.get(`/minting?contractAddress=${units}`)).body;
    const ofToken = items.filter(({ tokenId }: Loose) => tokenId === certificate.tokenId);
    expect(ofToken).toHaveLength(2);
    expect(ofToken[0].metadataId).toBe(ofToken[1].metadataId);
  });

  it('mints nothing if the revocation is cancelled or fails', async () => {
    const [kept, burned] = [await issued(single), await issued(single)];
    await pause('pause');
    const [first, second] = [await reissue(kept), await reissue(burned)];
    const cancelled = await client.post('/certificates/revoke/cancel', { id: first.body.revocation.id });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect(await mintOf(first)).toMatchObject({ status: 'CANCELLED', txHash: null });
    await sendAs(burned.holder, burnData(burned.holder.address, burned), single);
    await pause('resume');
    expect([await revocationIn(second), await mintOf(second)]).toMatchObject([
      { status: 'FAILED' },
      { status: 'CANCELLED', txHash: null },
    ]);
    await expectEvent('mint.cancelled', await mintOf(second));
    expect(await read('ownerOf', kept, [kept.tokenId])).toBe(kept.holder.address);
  });

  it('only revokes if the mint is cancelled', async () => {
    const certificate = await issued(single);
    await pause('pause');
    const reply = await reissue(certificate);
    const cancelled = await client.post('/minting/cancel', { id: reply.body.mint.id });
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    await pause('resume');
    expect(await revocationIn(reply)).toMatchObject({ status: 'CONFIRMED' });
    expect((await mintOf(reply))['txHash']).toBeNull();
  });

  it('is the same two orders for one Idempotency-Key, also when they have been executed in between', async () => {
    const certificate = await issued(units, 5);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const body = { ...bodyOf(certificate, { amount: 1 }), receiverAddress: newSigner().address };
    const post = () => client.post('/certificates/reissue', body, headers);
    const first = await post();
    const orders = { revocation: await revocationIn(first), mint: await mintOf(first) };
    expect((await post()).body).toEqual(first.body);
    await forgetReply(headers['idempotency-key']);
    expect((await post()).body).toEqual(orders);
    expect(await read('balanceOf', certificate, [body.receiverAddress, certificate.tokenId])).toBe('1');
  });

  it('is refused where the revocation or the mint would be, and stores neither', async () => {
    const own = await issued(await deployed({}));
    expect(await reissue(own)).toMatchObject({ status: 409, body: { message: (await revoke(own)).body.message } });
    const certificate = await issued(single);
    expect(issuesOf(await reissue(certificate, { receiverAddress: certificate.holder.address }))).toEqual({
      receiverAddress: 'must be another wallet than from',
    });
    const zero = `0x${'0'.repeat(40)}`;
    expect(issuesOf(await reissue(certificate, { receiverAddress: zero }))).toHaveProperty('receiverAddress');
    expect(issuesOf(await reissue(certificate, { from: newSigner().address }))).toHaveProperty('from');
    await limit({ receivers: [] });
    onTestFinished(async () => void (await limit({})));
    expect(await reissue(certificate)).toMatchObject({ status: 403, body: { code: 'limit_forbids' } });
    const { ordersToday } = (await client.get('/limits')).body.used;
    await limit({ ordersPerDay: ordersToday + 1 });
    expect((await reissue(certificate)).status).toBe(429);
    expect((await client.get('/limits')).body.used.ordersToday).toBe(ordersToday);
    await limit({ ordersPerDay: ordersToday + 3 });
    await pause('pause');
    expect((await reissue(certificate)).status).toBe(201);
    expect((await client.get('/limits')).body.used.ordersToday).toBe(ordersToday + 2);
    expect(await reissue(certificate)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/is under way$/) },
    });
  });

  it('is refused if the account has not minted the certificate here', async () => {
    const certificate = await issued(single);
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query(
      "update orders set state = 'failed' where resource = 'minting-orders' and contract_address = $1 and token_id = $2",
      [single, certificate.tokenId],
    );
    await database.end();
    expect(await reissue(certificate)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The account has not minted certificate/) },
    });
  });

  it('needs a key that may revoke and mint', async () => {
    const certificate = await issued(single);
    const body = JSON.stringify({ ...bodyOf(certificate), receiverAddress: newSigner().address });
    for (const [scopes, status] of [
      [['revoke'], 403],
      [['mint'], 403],
      [['mint', 'revoke'], 201],
    ] as const) {
      const headers = { ...keyHeaders(await makeKey(client, { scopes })), 'content-type': 'application/json' };
      const reply = await call('/certificates/reissue', { method: 'POST', headers, body });
      expect([scopes, reply.status]).toEqual([scopes, status]);
    }
  });
});
