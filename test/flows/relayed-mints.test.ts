import { setTimeout as delay } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, getAddress, type Address, type Hex } from 'viem';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
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
import { deployForwarder, newSigner, nonceOf, postLate, sendAs } from '../fixtures/gasless.ts';
import { storeTransaction } from '../fixtures/stored-transaction.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { encodeMint } from '../../src/orders/mint/mint-call.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { signMessage } from '../fixtures/sign-message.ts';

const chain = chainClient();
const ENDED = ['CONFIRMED', 'FAILED'];
/** The owner of the contracts, without coins and without an account. */
const owner = newSigner();

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let collection: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  forwarder = await deployForwarder(client);
  collection = await owned({});
});

/** Deploys a contract whose owner is not the account's wallet; the account's forwarder is trusted by default. */
async function owned(fields: Record<string, unknown>): Promise<Address> {
  return (await deployContract(client, { currentOwnerAddress: owner.address, ...fields })).contractAddress;
}

let lastToken = 0;

async function mintOf(contractAddress: Address, fields: Record<string, unknown> = {}) {
  return {
    chainId: '43114',
    contractAddress,
    receiverAddress,
    tokenId: String((lastToken += 1)),
    metadataId: await createMetadata(client),
    from: owner.address,
    ...fields,
  };
}

type Mint = Awaited<ReturnType<typeof mintOf>>;

/** The body of POST /minting/relay, signed by the server, which tests may request. */
async function signedByServer(mint: Mint, privateKey: Hex = owner.privateKey) {
  const { status, body } = await client.post('/minting/signature', { ...mint, privateKey });
  expect([status, body.errors]).toEqual([200, undefined]);
  const { signature, forwarderAddress, request } = body;
  return { ...mint, signature, forwarderAddress, forwarderNonce: request.nonce, gasLimit: request.gas };
}

const relay = (body: unknown) => client.post('/minting/relay', body);
const ended = (reply: Reply) => client.until(`/minting/${reply.body.id}`, ENDED);

async function eventOf(type: string, id: unknown) {
  const find = () => receiver.deliveries.find(({ event }) => event.type === type && event.data['id'] === id);
  await expect.poll(find).toBeDefined();
  return find()?.event.data;
}

function issuesOf(reply: Reply): Record<string, string> {
  expect(reply.status).toBe(400);
  return Object.fromEntries(
    reply.body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
  );
}

/** Stores an order and its request as POST /minting/relay does, and sends no message. @returns the order's id. */
async function storeUnsent(body: Awaited<ReturnType<typeof signedByServer>>): Promise<string> {
  const { contractAddress } = body;
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query('select id from contracts where contract_address = $1', [contractAddress]);
  const orderId = `ffff${newSigner().address.slice(2, 22).toLowerCase()}`;
  await database.query(
    `insert into minting_orders (id, corporate_account_id, contract_id, chain_id, contract_address, erc_standard, receiver_address,
       token_id, amount, metadata_id, status, mode) values ($1, $2, $3, '43114', $4, '721', $5, $6, 1, $7, 'PENDING', 'relay')`,
    [orderId, client.account._id, rows[0].id, contractAddress, receiverAddress, body.tokenId, body.metadataId],
  );
  const data = encodeMint({
    contractAddress,
    ercStandard: '721',
    receiverAddress,
    tokenId: body.tokenId,
    amount: 1,
    tokenUri: null,
    metadataHash: null,
  });
  await database.query(
    `insert into forward_requests (order_id, kind, corporate_account_id, chain_id, forwarder_address, signer_address, nonce,
       contract_address, gas_limit, data, signature, read_at_block, state) values ($1, 'relay-mint', $2, '43114', $3, $4, $5, $6, $7, $8, $9, 0, 'open')`,
    [
      orderId,
      client.account._id,
      forwarder,
      body.from.toLowerCase(),
      body.forwarderNonce,
      contractAddress,
      body.gasLimit,
      data,
      body.signature,
    ],
  );
  await storeTransaction(database, client, 'relay-mint', orderId);
  await database.end();
  return orderId;
}

describe("a mint signed by the contract's owner", () => {
  it('is executed, linked, served and reported; the account pays, and the owner needs no coins', async () => {
    const mint = await mintOf(collection, { contractAddress: getAddress(collection) });
    // Signed independently of the service; the call is encoded here.
    const message = {
      from: owner.address,
      to: collection,
      value: '0',
      gas: '150000',
      nonce: String(await nonceOf(forwarder, owner.address)),
      data: `0x40c10f19${receiverAddress.slice(2).toLowerCase().padStart(64, '0')}${BigInt(mint.tokenId).toString(16).padStart(64, '0')}`,
    } as const;
    const signature = signMessage(owner, forwarder, message);
    const accepted = await relay({ ...mint, signature, gasLimit: 150_000 });
    expect(accepted.status).toBe(201);
    expect(accepted.body).toMatchObject({
      chainId: '43114',
      contractAddress: collection,
      receiverAddress,
      tokenId: mint.tokenId,
      metadataId: mint.metadataId,
      status: 'QUEUED',
      mode: 'relay',
      amount: 1,
      txHash: null,
    });

    const order = await ended(accepted);
    expect(order).toMatchObject({ status: 'CONFIRMED', mode: 'relay', errorMessage: null });
    const args = [BigInt(mint.tokenId)] as const;
    expect(await chain.readContract({ ...standard721, address: collection, functionName: 'ownerOf', args })).toBe(
      receiverAddress,
    );
    const transaction = await chain.getTransaction({ hash: order['txHash'] as Hex });
    expect(getAddress(transaction.from)).toBe(client.account.walletAddress);
    expect(await chain.getBalance({ address: owner.address })).toBe(0n);
    const tokenUri = await chain.readContract({ ...standard721, address: collection, functionName: 'tokenURI', args });
    expect(await call(new URL(tokenUri).pathname)).toMatchObject({ status: 200, body: { name: 'A token' } });
    expect((await client.get(`/minting/by-tx/${String(order['txHash'])}`)).body).toEqual(order);
    expect(await eventOf('mint.confirmed', order['id'])).toEqual(order);
  });

  it('accepts the reply of POST /minting/signature unchanged', async () => {
    const body = await signedByServer(await mintOf(collection));
    expect(body.forwarderAddress).toBe(forwarder);
    expect(await ended(await relay(body))).toMatchObject({ status: 'CONFIRMED' });
  });

  it('mints certificates, whose document is served and matches its hash', async () => {
    const certificates = await owned({ contractType: 'certificate' });
    const metadata = (await client.post('/metadata', certificateInput)).body;
    const tokenUri = `http://service.test/metadata/${certificates}/77`;
    const mint = await mintOf(certificates, {
      tokenId: '77',
      metadataId: metadata._id,
      tokenUri,
      metadataHash: metadata.metadataHash,
    });
    expect(
      issuesOf(await relay({ ...mint, tokenUri: undefined, signature: `0x${'11'.repeat(65)}`, forwarderNonce: '99' })),
    ).toEqual({
      tokenUri: 'is required for a certificate contract',
      forwarderNonce: expect.stringContaining('given 99'),
    });
    expect(await ended(await relay(await signedByServer(mint)))).toMatchObject({ status: 'CONFIRMED' });
    const [onChain, uri] = await Promise.all([
      chain.readContract({ ...certificate721, address: certificates, functionName: 'getMetadataHash', args: [77n] }),
      chain.readContract({ ...certificate721, address: certificates, functionName: 'tokenURI', args: [77n] }),
    ]);
    expect(uri).toBe(tokenUri);
    const served = await fetch(`${stack.url}/metadata/${certificates}/77`);
    expect(
      `0x${createHash('sha256')
        .update(await served.text())
        .digest('hex')}`,
    ).toBe(onChain);
  });

  it('mints units of an ERC-1155 token: one by default, or the given amount', async () => {
    const units = await owned({ ercStandard: '1155' });
    const one = await mintOf(units);
    const { tokenId, metadataId } = one;
    const first = await relay(await signedByServer(one));
    expect(first.body).toMatchObject({ status: 'QUEUED', amount: 1 });
    expect(await ended(first)).toMatchObject({ status: 'CONFIRMED' });
    const more = await mintOf(units, { tokenId, metadataId, amount: 4 });
    expect(await ended(await relay(await signedByServer(more)))).toMatchObject({ status: 'CONFIRMED', amount: 4 });
    const args = [receiverAddress, BigInt(tokenId)] as const;
    expect(await chain.readContract({ ...standard1155, address: units, functionName: 'balanceOf', args })).toBe(5n);
    const other = await signedByServer(await mintOf(units, { tokenId }));
    expect(await relay(other)).toMatchObject({
      status: 409,
      body: { message: `Token ${tokenId} keeps its document: metadata ${metadataId}` },
    });
  });

  it('is one order and one mint when posted ten times concurrently, and again later', async () => {
    const body = await signedByServer(await mintOf(collection));
    const before = await nonceOf(forwarder, owner.address);
    const replies = await Promise.all(Array.from({ length: 10 }, () => relay(body)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
    const order = await ended(replies[0] as Reply);
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    expect(await nonceOf(forwarder, owner.address)).toBe(before + 1);
    const again = await relay(body);
    expect([again.status, again.body]).toEqual([200, order]);
  });

  it('is one order when posted twice, and a node delays one until the other is CONFIRMED', async () => {
    const units = await owned({ ercStandard: '1155' });
    const body = await signedByServer(await mintOf(units, { amount: 2 }));
    const { late } = await postLate(owner.address, () => relay(body));
    const order = await ended(await relay(body));
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    const { status, body: second } = await late;
    expect([status, second]).toEqual([200, order]);
  });

  it('is found again by a retry with the same Idempotency-Key', async () => {
    const body = await signedByServer(await mintOf(collection));
    const post = () => client.post('/minting/relay', body, { 'idempotency-key': 'relay-1' });
    const [first, second] = [await post(), await post()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    await ended(first);
  });

  it('is executed even if its queue message was lost', async () => {
    const orderId = await storeUnsent(await signedByServer(await mintOf(collection)));
    await cleanUpAfter(4);
    expect((await client.get(`/minting/${orderId}`)).body.status).toBe('PENDING');
    await cleanUpAfter(6);
    expect(await client.until(`/minting/${orderId}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is FAILED when its token was minted in the meantime, names the holder, and is refused from then on', async () => {
    const issuer = newSigner();
    const contractAddress = await owned({ currentOwnerAddress: issuer.address });
    const mint = await mintOf(contractAddress, { from: issuer.address });
    const signed = await signedByServer(mint, issuer.privateKey);
    const holder = newSigner().address;
    const args = [holder, BigInt(mint.tokenId)] as const;
    await sendAs(issuer, encodeFunctionData({ ...standard721, functionName: 'mint', args }), contractAddress);
    // A driver that is awake claims the order at once, and may estimate it at a block that it read half a second ago.
    await delay(1_000);
    const orderId = await storeUnsent(signed);
    const message = `Token ${mint.tokenId} exists and belongs to ${holder}`;
    await cleanUpAfter(6);
    expect(await client.until(`/minting/${orderId}`, ENDED)).toMatchObject({
      status: 'FAILED',
      errorMessage: message,
      txHash: null,
    });
    // It was not minted by an order: the account is not the contract's owner.
    const again = await relay(await signedByServer(mint, issuer.privateKey));
    expect(again).toMatchObject({ status: 409, body: { message } });
  });
});

describe('an invalid relayed mint', () => {
  it("by someone other than the owner is accepted, and FAILED with the contract's error", async () => {
    const otherSigner = newSigner();
    const mint = await mintOf(collection, { from: otherSigner.address });
    const accepted = await relay(await signedByServer(mint, otherSigner.privateKey));
    expect([accepted.status, accepted.body.status]).toEqual([201, 'QUEUED']);
    const order = await ended(accepted);
    expect(order).toMatchObject({ status: 'FAILED' });
    expect(order['errorMessage']).toBe(
      `Reverted: OwnableUnauthorizedAccount(${otherSigner.address}): this account is not the owner of the contract`,
    );
    expect(await eventOf('mint.failed', order['id'])).toEqual(order);
    // The metadata is free again.
    const body = await signedByServer({ ...mint, from: owner.address });
    expect(await ended(await relay(body))).toMatchObject({ status: 'CONFIRMED' });
  });

  it('is refused with the preconditions of every mint: 404, 409, 400', async () => {
    const body = await signedByServer(await mintOf(collection));
    expect((await relay({ ...body, metadataId: '0'.repeat(24) })).status).toBe(404);
    expect((await relay({ ...body, contractAddress: receiverAddress })).status).toBe(404);
    const other = await newClient();
    expect((await other.post('/minting/relay', body)).status).toBe(404);
    expect(issuesOf(await relay({ ...body, amount: 2 }))['amount']).toContain('must be absent or 1');
    const testnet = await createMetadata(client, { chainId: '43113' });
    expect(issuesOf(await relay({ ...body, metadataId: testnet }))['metadataId']).toContain('chain 43113');
    expect(await ended(await relay(body))).toMatchObject({ status: 'CONFIRMED' });
    const taken = await mintOf(collection, { metadataId: body.metadataId });
    expect(await relay(await signedByServer(taken))).toMatchObject({
      status: 409,
      body: { message: 'Another order uses this ERC-721 metadata' },
    });
  });

  it('is refused with 400 for a forged signature, changed contents, a used nonce, an untrusted forwarder', async () => {
    const body = await signedByServer(await mintOf(collection));
    for (const change of [
      { from: newSigner().address, forwarderNonce: '0' },
      { tokenId: '9999' },
      { receiverAddress: newSigner().address },
      { gasLimit: 400_000 },
      { signature: `0x${'22'.repeat(64)}1b` },
    ]) {
      const faults = issuesOf(await relay({ ...body, ...change }));
      expect(Object.keys(faults)).toEqual(['signature']);
      expect(faults['signature']).toContain('does not recover to from for this request');
    }
    expect(await ended(await relay(body))).toMatchObject({ status: 'CONFIRMED' });
    const stale = await signedByServer({ ...(await mintOf(collection)), forwarderNonce: body.forwarderNonce } as Mint);
    const expected = Number(body.forwarderNonce) + 1;
    expect(issuesOf(await relay(stale))).toEqual({
      forwarderNonce: `is stale: expected ${expected}, given ${body.forwarderNonce}`,
    });
    const elsewhere = await deployForwarder(client);
    const untrusted = await signedByServer(await mintOf(collection, { forwarderAddress: elsewhere }));
    expect(untrusted.forwarderAddress).toBe(elsewhere);
    expect(issuesOf(await relay(untrusted))['forwarderAddress']).toContain(`does not trust the forwarder ${elsewhere}`);
  });
});
