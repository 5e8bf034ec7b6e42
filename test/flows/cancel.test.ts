import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { setFaults } from '../fixtures/fault-proxy.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { bringOneself, deployForwarder, newSigner, signedTransfer, type Signer } from '../fixtures/gasless.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let collection: Address;
/** Owns one collection of the account, and holds tokens of the other. */
let signer: Signer;
let signersCollection: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  signer = newSigner();
  forwarder = await deployForwarder(client);
  const [own, signers] = await Promise.all([
    deployContract(client, { trustedForwarder: forwarder }),
    deployContract(client, { trustedForwarder: forwarder, currentOwnerAddress: signer.address }),
  ]);
  collection = own.contractAddress;
  signersCollection = signers.contractAddress;
});

const adminKey = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, { method: 'POST', headers: adminKey });

let lastToken = 0;
const nextToken = () => String((lastToken += 1));

async function orderMint(metadataId?: string): Promise<Reply> {
  return await client.post('/minting/order', {
    chainId,
    contractAddress: collection,
    receiverAddress,
    tokenId: nextToken(),
    metadataId: metadataId ?? (await createMetadata(client)),
  });
}

async function expectEvent(type: string, data: Record<string, unknown>) {
  const find = () => receiver.deliveries.filter(({ event }) => event.type === type);
  await expect.poll(() => find().map(({ event }) => event.data)).toContainEqual(data);
}

/** A token of the account's collection, and its holder's signed request to transfer it. */
async function signedGift(nonce: number) {
  const tokenId = nextToken();
  const { body } = await client.post('/minting/order', {
    chainId,
    contractAddress: collection,
    receiverAddress: signer.address,
    tokenId,
    metadataId: await createMetadata(client),
  });
  await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  return signedTransfer(signer, forwarder, { contractAddress: collection, to: receiverAddress, tokenId }, { nonce });
}

describe('an unsigned order', () => {
  beforeEach(() => pause('pause'));
  afterEach(async () => {
    await setFaults(stack.proxies[chainId], [], 'cancel');
    await pause('resume');
  });

  const CANCELLED = {
    hold: null,
    errorMessage: 'Cancelled before it was sent',
    completedAt: expect.any(String),
    cancelRequestedAt: expect.any(String),
    totalFeeNative: null,
  };

  it('is CANCELLED when the reply comes: a mint, whose metadata and token are free again', async () => {
    const metadataId = await createMetadata(client);
    const { body: order } = await orderMint(metadataId);
    const { status, body } = await client.post('/minting/cancel', { id: order.id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: order.id, status: 'CANCELLED', txHash: null, mintingGasUsed: null, ...CANCELLED });
    expect((await client.get(`/minting/${order.id}`)).body).toEqual(body);
    await expectEvent('mint.cancelled', body);
    expect((await orderMint(metadataId)).status).toBe(201);
  });

  it('is CANCELLED when the reply comes: an ownership transfer', async () => {
    const fields = { chainId, contractAddress: collection, newOwnerAddress: receiverAddress };
    const { body: job } = await client.post('/contracts/transfer-ownership', fields);
    const { status, body } = await client.post('/contracts/transfer-ownership/cancel', { id: job.jobId });
    expect(status).toBe(200);
    expect(body).toMatchObject({ jobId: job.jobId, status: 'CANCELLED', ...CANCELLED });
    expect((await client.get(`/contracts/transfer-ownership/${job.jobId}`)).body).toEqual(body);
    await expectEvent('ownership.cancelled', body);
  });

  it.each([
    ['a contract', '/contracts/deploy', { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard' }],
    ['a forwarder', '/contracts/forwarder', { alias: 'F' }],
  ])(
    'is FAILED, as the states of contracts have it, when the reply comes: the deployment of %s',
    async (_, path, fields) => {
      const { body: contract } = await client.post(path, fields);
      const { status, body } = await client.post('/contracts/cancel', { id: contract._id });
      expect(status).toBe(200);
      expect(body).toMatchObject({ _id: contract._id, status: 'FAILED', contractAddress: null, ...CANCELLED });
      expect((await client.get(`/contracts/${contract._id}`)).body).toEqual(body);
      await expectEvent('contract.cancelled', body);
    },
  );

  it('is CANCELLED when the reply comes: a transfer, whose signed request may be posted again', async () => {
    await pause('resume');
    const gift = await signedGift(0);
    await pause('pause');
    const { body: order } = await client.post('/transfer/execute', gift);
    const { status, body } = await client.post('/transfer/cancel', { id: order.id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: order.id, status: 'CANCELLED', ...CANCELLED });
    expect((await client.get(`/transfer/${order.id}`)).body).toEqual(body);
    await expectEvent('transfer.cancelled', body);
    const again = await client.post('/transfer/execute', gift);
    expect([again.status, again.body.id === order.id]).toEqual([201, false]);
    await pause('resume');
    expect(await client.until(`/transfer/${again.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'CONFIRMED',
    });
  });

  it('is CANCELLED when the reply comes: a relayed mint, whose signed request may be posted again', async () => {
    const mint = {
      chainId,
      contractAddress: signersCollection,
      receiverAddress,
      tokenId: nextToken(),
      metadataId: await createMetadata(client),
      from: signer.address,
    };
    const { body: signed } = await client.post('/minting/signature', { ...mint, privateKey: signer.privateKey });
    const post = () => client.post('/minting/relay', { ...mint, signature: signed.signature });
    const { body: order } = await post();
    const { status, body } = await client.post('/minting/cancel', { id: order.id });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: order.id, mode: 'relay', status: 'CANCELLED', ...CANCELLED });
    await expectEvent('mint.cancelled', body);
    const again = await post();
    expect([again.status, again.body.id === order.id]).toEqual([201, false]);
    await pause('resume');
    expect(await client.until(`/minting/${again.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'CONFIRMED',
    });
  });

  it('is CONFIRMED if a third party has executed it: a transfer', async () => {
    await pause('resume');
    const holder = newSigner();
    signer = holder;
    const gift = await signedGift(0);
    await pause('pause');
    const { body: order } = await client.post('/transfer/execute', gift);
    const txHash = await bringOneself(forwarder, gift);
    const { status, body } = await client.post('/transfer/cancel', { id: order.id });
    expect([status, body.cancelRequestedAt]).toEqual([200, expect.any(String)]);
    const ended = await client.until(`/transfer/${order.id}`, ['CONFIRMED', 'CANCELLED', 'FAILED']);
    expect(ended).toMatchObject({ status: 'CONFIRMED', txHash, cancelRequestedAt: body.cancelRequestedAt });
  });

  it('is cancelled by its driver if the chain does not say at once whether a third party has executed it', async () => {
    await pause('resume');
    signer = newSigner();
    const gift = await signedGift(0);
    await pause('pause');
    const { body: order } = await client.post('/transfer/execute', gift);
    const match = forwarder.slice(2).toLowerCase();
    await setFaults(stack.proxies[chainId], [{ match, effect: 'refuse', times: 10_000 }], 'cancel');
    const { status, body } = await client.post('/transfer/cancel', { id: order.id });
    expect([status, body.status === 'CANCELLED', body.cancelRequestedAt]).toEqual([200, false, expect.any(String)]);
    await setFaults(stack.proxies[chainId], [], 'cancel');
    const ended = await client.until(`/transfer/${order.id}`, ['CONFIRMED', 'CANCELLED', 'FAILED']);
    expect(ended).toMatchObject({ status: 'CANCELLED', ...CANCELLED });
  });
});

describe('a cancellation', () => {
  it('of an order that has ended is 409, cancelled or not', async () => {
    await pause('pause');
    const { body: order } = await orderMint();
    await client.post('/minting/cancel', { id: order.id });
    expect((await client.post('/minting/cancel', { id: order.id })).status).toBe(409);
    await pause('resume');
    const { body: minted } = await orderMint();
    await client.until(`/minting/${minted.id}`, ['CONFIRMED']);
    expect((await client.post('/minting/cancel', { id: minted.id })).status).toBe(409);
    expect((await client.get(`/minting/${minted.id}`)).body).toMatchObject({ cancelRequestedAt: null });
  });

  it("of another account's order, of another kind's, and of none is 404, and changes nothing", async () => {
    await pause('pause');
    const { body: order } = await orderMint();
    const stranger = await newClient();
    expect((await stranger.post('/minting/cancel', { id: order.id })).status).toBe(404);
    for (const path of ['/transfer', '/contracts', '/contracts/transfer-ownership'])
      expect((await client.post(`${path}/cancel`, { id: order.id })).status).toBe(404);
    expect((await client.post('/minting/cancel', { id: '0'.repeat(24) })).status).toBe(404);
    expect((await client.post('/minting/cancel', { id: 'x' })).status).toBe(400);
    await pause('resume');
    const ended = await client.until(`/minting/${order.id}`, ['CONFIRMED', 'CANCELLED']);
    expect(ended).toMatchObject({ status: 'CONFIRMED', cancelRequestedAt: null });
  });

  it.each(['its account', 'the operator'])(
    'by %s with the same Idempotency-Key gets the same reply: again, at once, and after a crash before it was stored',
    async (caller) => {
      await pause('pause');
      const { body: order } = await orderMint();
      const key = crypto.randomUUID();
      const name = { 'idempotency-key': key };
      const cancel = async () => {
        const { status, body } = await (caller === 'its account'
          ? client.post('/minting/cancel', { id: order.id }, name)
          : call(`/admin/orders/${order.id}/cancel`, { method: 'POST', headers: { ...adminKey, ...name } }));
        return [status, body.id, body.status ?? body.state.toUpperCase()];
      };
      const cancelled = [200, order.id, 'CANCELLED'];
      expect(await Promise.all(Array.from({ length: 6 }, cancel))).toEqual(Array.from({ length: 6 }, () => cancelled));
      expect(await cancel()).toEqual(cancelled);
      await forgetReply(key);
      expect(await cancel()).toEqual(cancelled);
      await pause('resume');
    },
  );

  it('of many orders while they are executed leaves each CONFIRMED or CANCELLED, with one event', async () => {
    const orders = await Promise.all(Array.from({ length: 30 }, () => orderMint()));
    const replies = await Promise.all(orders.map(({ body }) => client.post('/minting/cancel', { id: body.id })));
    for (const { status } of replies) expect([200, 409]).toContain(status);
    const ended = await Promise.all(
      orders.map(({ body }) => client.until(`/minting/${body.id}`, ['CONFIRMED', 'CANCELLED', 'FAILED'])),
    );
    for (const order of ended) {
      expect(['CONFIRMED', 'CANCELLED']).toContain(order['status']);
      await expectEvent(order['status'] === 'CONFIRMED' ? 'mint.confirmed' : 'mint.cancelled', order);
    }
    const told = receiver.deliveries.filter(({ event }) => orders.some(({ body }) => body.id === event.data['id']));
    expect(new Set(told.map(({ event }) => event.data['id'])).size).toBe(orders.length);
    expect(new Set(told.map(({ headers }) => headers['webhook-id'])).size).toBe(orders.length);
  });
});
