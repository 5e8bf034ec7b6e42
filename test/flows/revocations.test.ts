import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { newId } from '../../src/core/record-id.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployPlainForwarder } from '../fixtures/plain-forwarder.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import {
  bringOneself,
  deployForwarder,
  newSigner,
  nonceOf,
  postLate,
  sendAs,
  signedTransfer,
  type Signer,
} from '../fixtures/gasless.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { type Message, signMessage } from '../fixtures/sign-message.ts';

// A request that its holder has signed and given up: POST /transfer/prepare and /transfer/execute with "purpose":
// "cancel".

const chainId = '43114';
const ENDED = ['CONFIRMED', 'CANCELLED', 'FAILED'];
const chain = chainClient();

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let collection: Address;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  forwarder = await deployForwarder(client);
  collection = (await deployContract(client, { trustedForwarder: forwarder })).contractAddress;
});
afterEach(async () => {
  await setFaults(stack.proxies[chainId], [], 'revocations');
  await pause('resume');
});

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, {
    method: 'POST',
    headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
  });

let lastToken = 0;

/** A new holder of a new token, and its signed request to transfer it. */
async function signedGift(contractAddress = collection, trusted = forwarder) {
  const holder = newSigner();
  const tokenId = String((lastToken += 1));
  const { body } = await client.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder.address,
    tokenId,
    metadataId: await createMetadata(client),
  });
  await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  const gift = signedTransfer(holder, trusted, { contractAddress, to: receiverAddress, tokenId }, { nonce: 0 });
  return { holder, gift: { ...gift, forwarderAddress: trusted } };
}

type Gift = Awaited<ReturnType<typeof signedGift>>['gift'];

/** The body of POST /transfer/execute that revokes a request, signed by `signer`. */
async function revocationOf(signer: Signer, gift: Gift) {
  const { status, body } = await client.post('/transfer/prepare', { ...gift, purpose: 'cancel' });
  expect([status, body.primaryType, body.deadline]).toEqual([200, 'ForwardRequest', null]);
  const request: Message = body.request;
  const trusted: Address = body.domain.verifyingContract;
  return { request, body: { ...gift, purpose: 'cancel', signature: signMessage(signer, trusted, request) } };
}

const execute = (body: object) => client.post('/transfer/execute', body);
const ended = ({ body }: Reply) => client.until(`/transfer/${body.id}`, ENDED);
const ownerOf = async ({ tokenId, contractAddress }: Gift) =>
  (await client.post('/contracts/read', { chainId, contractAddress, method: 'ownerOf', args: [tokenId] })).body;
const issuesOf = ({ status, body }: Reply, expected = 400): Record<string, string> => {
  expect(status).toBe(expected);
  return Object.fromEntries(body.errors.map(({ path, message }: Record<string, string>) => [path, message]));
};

async function expectEvent(type: string, data: Record<string, unknown>) {
  const find = () => receiver.deliveries.filter(({ event }) => event.type === type).map(({ event }) => event.data);
  await expect.poll(find).toContainEqual(data);
}

describe('a request that its holder has given up', () => {
  it('is void once an order of the cancellation is CONFIRMED, for this service and for anyone else', async () => {
    const { holder, gift } = await signedGift();
    const { request, body } = await revocationOf(holder, gift);
    const data = encodeFunctionData({ ...minimalForwarder, functionName: 'cancel', args: [0n] });
    expect(request).toEqual({
      from: holder.address,
      to: forwarder.toLowerCase(),
      value: '0',
      gas: '60000',
      nonce: '0',
      data,
    });
    const reply = await execute(body);
    expect(reply).toMatchObject({ status: 201, body: { status: 'PENDING', purpose: 'cancel', from: holder.address } });
    const order = await ended(reply);
    expect(order).toMatchObject({
      status: 'CONFIRMED',
      contractAddress: collection,
      to: null,
      tokenId: null,
      amount: null,
      ercStandard: null,
      transferGasUsed: expect.any(String),
    });
    expect(await nonceOf(forwarder, holder.address)).toBe(1);
    await expectEvent('revocation.confirmed', order);
    expect((await client.get(`/transfer/by-tx/${String(order['txHash'])}`)).body).toEqual(order);

    await expect(bringOneself(forwarder, gift)).rejects.toThrow('reverted');
    expect(issuesOf(await execute(gift))).toEqual({ forwarderNonce: 'is stale: expected 1, given 0' });
    expect(await ownerOf(gift)).toBe(holder.address);
    expect(Number(order['transferGasUsed'])).toBeLessThan(200_000);
  });

  it('is one order, however often and however many at once its cancellation is posted', async () => {
    const { holder, gift } = await signedGift();
    const { body } = await revocationOf(holder, gift);
    const replies = await Promise.all(Array.from({ length: 10 }, () => execute(body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(replies.map(({ body: order }) => order.id)).size).toBe(1);
    const [first] = replies;
    if (first === undefined) throw new Error('There are ten replies');
    expect(await ended(first)).toMatchObject({ status: 'CONFIRMED' });
    expect(await execute(body)).toMatchObject({ status: 200, body: { id: first.body.id, status: 'CONFIRMED' } });
    expect(await nonceOf(forwarder, holder.address)).toBe(1);
  });

  it('is one order if a node delays one post of its cancellation until that of another is CONFIRMED', async () => {
    const { holder, gift } = await signedGift();
    const { body } = await revocationOf(holder, gift);
    const { late } = await postLate(holder.address, () => execute(body));
    const order = await ended(await execute(body));
    expect(order).toMatchObject({ status: 'CONFIRMED' });
    const { status, body: second } = await late;
    expect([status, second.id]).toEqual([200, order['id']]);
  });

  it('and posted fails when the cancellation is mined, if it was unsigned: the cancellation comes first', async () => {
    const { holder, gift } = await signedGift();
    await pause('pause');
    const transfer = await execute(gift);
    const later = { ...gift, ...resigned(holder, gift, 1) };
    const successor = await execute(later);
    const { body } = await revocationOf(holder, gift);
    const cancel = await execute(body);
    expect([transfer.status, successor.status, cancel.status]).toEqual([201, 201, 201]);
    await pause('resume');
    expect(await ended(cancel)).toMatchObject({ status: 'CONFIRMED' });
    const failed = await ended(transfer);
    expect(failed).toMatchObject({
      status: 'FAILED',
      txHash: null,
      errorMessage:
        "Another transaction has used the signed request's nonce: the forwarder expects nonce 1 from the signer, and this request has 0",
    });
    await expectEvent('transfer.failed', failed);
    // The next request of the holder has not been given up.
    expect(await ended(successor)).toMatchObject({ status: 'CONFIRMED' });
    expect(await nonceOf(forwarder, holder.address)).toBe(2);
  });

  it('and posted and cancelled remains CANCELLED, and can no longer be submitted by anyone', async () => {
    const { holder, gift } = await signedGift();
    await pause('pause');
    const transfer = await execute(gift);
    expect((await client.post('/transfer/cancel', { id: transfer.body.id })).body.status).toBe('CANCELLED');
    await pause('resume');
    const { body } = await revocationOf(holder, gift);
    expect(await ended(await execute(body))).toMatchObject({ status: 'CONFIRMED' });
    expect((await client.get(`/transfer/${transfer.body.id}`)).body.status).toBe('CANCELLED');
    await expect(bringOneself(forwarder, gift)).rejects.toThrow('reverted');
  });

  it('and signed by the wallet decides itself: the cancellation waits for its end and costs nothing', async () => {
    const { holder, gift } = await signedGift();
    // The transaction is signed and stored, and no node gets it: its calldata is followed by the access list.
    const match = `${gift.signature.slice(2)}${'00'.repeat(31)}c0`;
    await setFaults(stack.proxies[chainId], [{ match, effect: 'refuse', times: 10_000 }], 'revocations');
    const transfer = await execute(gift);
    await client.until(`/transfer/${transfer.body.id}`, ['SENT', 'PROCESSING']);
    await expect.poll(() => attemptsOf(transfer.body.id)).toBe(1);
    const sent = await chain.getTransactionCount({ address: client.account.walletAddress });
    const { body } = await revocationOf(holder, gift);
    const cancel = await execute(body);
    expect(cancel.status).toBe(201);
    expect(await attemptsOf(cancel.body.id)).toBe(0);
    await setFaults(stack.proxies[chainId], [], 'revocations');
    expect(await ended(transfer)).toMatchObject({ status: 'CONFIRMED' });
    const failed = await ended(cancel);
    expect(failed).toMatchObject({ status: 'FAILED', txHash: null, totalFeeNative: null });
    await expectEvent('revocation.failed', failed);
    expect(await chain.getTransactionCount({ address: client.account.walletAddress })).toBe(sent + 1);
    expect(await ownerOf(gift)).toBe(receiverAddress);
  });

  it('is void by the transaction of anyone who submits the cancellation: the order is CONFIRMED with its hash', async () => {
    const { holder, gift } = await signedGift();
    const { request, body } = await revocationOf(holder, gift);
    await pause('pause');
    const reply = await execute(body);
    const { gas, nonce, value, ...rest } = request;
    const message = { ...rest, gas: BigInt(gas), nonce: BigInt(nonce), value: BigInt(value) };
    const data = encodeFunctionData({ ...minimalForwarder, functionName: 'execute', args: [message, body.signature] });
    const hash = await sendAs(newSigner(), data, forwarder);
    await pause('resume');
    expect(await ended(reply)).toMatchObject({ status: 'CONFIRMED', txHash: hash });
  });

  it.each([
    ['ours', () => Promise.resolve({ contractAddress: collection, trusted: forwarder })],
    ['one without cancellation', plainCollection],
  ])('and executed by someone else first is no success of the cancellation, with the forwarder %s', async (_, of) => {
    const { contractAddress, trusted } = await of();
    const { holder, gift } = await signedGift(contractAddress, trusted);
    const { body } = await revocationOf(holder, gift);
    await pause('pause');
    const cancel = await execute(body);
    await bringOneself(trusted, gift);
    await pause('resume');
    expect(await ended(cancel)).toMatchObject({ status: 'FAILED', errorMessage: expect.stringMatching(/nonce/i) });
    expect(await ownerOf(gift)).toBe(receiverAddress);
  });

  it('through a forwarder that has no function for it is void too', async () => {
    const { contractAddress, trusted: plain } = await plainCollection();
    const { holder, gift } = await signedGift(contractAddress, plain);
    const { request, body } = await revocationOf(holder, gift);
    expect(request.to).toBe(contractAddress);
    expect(await ended(await execute(body))).toMatchObject({ status: 'CONFIRMED' });
    expect(await nonceOf(plain, holder.address)).toBe(1);
    expect(issuesOf(await execute(gift))).toEqual({ forwarderNonce: 'is stale: expected 1, given 0' });
    expect(await ownerOf(gift)).toBe(holder.address);
  });
});

describe('a cancellation is refused before anything is stored', () => {
  it.each<[string, (holder: Signer, gift: Gift) => Promise<{ status?: number; path: string; body: object }>]>([
    [
      'by anyone but the signer',
      async (_, gift) => ({ path: 'signature', body: (await revocationOf(newSigner(), gift)).body }),
    ],
    [
      'for another gas than it always has',
      async (holder, gift) => {
        const { request, body } = await revocationOf(holder, gift);
        const signature = signMessage(holder, forwarder, { ...request, gas: '1000000' });
        return { path: 'signature', body: { ...body, gasLimit: 1_000_000, signature } };
      },
    ],
    [
      'of more nonces than its own',
      async (holder, gift) => {
        const { request, body } = await revocationOf(holder, gift);
        const data = encodeFunctionData({ ...minimalForwarder, functionName: 'cancel', args: [5n] });
        return {
          path: 'signature',
          body: { ...body, signature: signMessage(holder, forwarder, { ...request, data }) },
        };
      },
    ],
    [
      'with a value, which the wallet would pay',
      async (holder, gift) => {
        const { request, body } = await revocationOf(holder, gift);
        const signature = signMessage(holder, forwarder, { ...request, value: '1' });
        return { path: 'signature', body: { ...body, signature } };
      },
    ],
    ['of the transfer itself', async (_, gift) => ({ path: 'signature', body: { ...gift, purpose: 'cancel' } })],
    [
      'of a nonce that is not the next',
      async (_, gift) => ({ path: 'forwarderNonce', body: { ...gift, purpose: 'cancel', forwarderNonce: '1' } }),
    ],
    [
      'through a forwarder that the contract does not trust',
      async (_, gift) => {
        const elsewhere = await deployForwarder(client);
        return { path: 'forwarderAddress', body: { ...gift, purpose: 'cancel', forwarderAddress: elsewhere } };
      },
    ],
    [
      "through a forwarder that is not the account's, at whose mercy its gas would be",
      async (_, gift) => {
        const foreign = await deployForwarder(await newClient());
        return {
          path: 'forwarderAddress',
          status: 404,
          body: { ...gift, purpose: 'cancel', forwarderAddress: foreign },
        };
      },
    ],
    [
      "for a contract that is not the account's",
      async (_, gift) => {
        const { contractAddress } = await deployContract(await newClient(), { trustedForwarder: forwarder });
        return { path: 'contractAddress', status: 404, body: { ...gift, purpose: 'cancel', contractAddress } };
      },
    ],
    ['of another purpose', async (_, gift) => ({ path: 'purpose', body: { ...gift, purpose: 'burn' } })],
  ])('%s', async (_, build) => {
    const { holder, gift } = await signedGift();
    const { path, body, status = 400 } = await build(holder, gift);
    expect(Object.keys(issuesOf(await execute(body), status))).toContain(path);
    const prepared = await client.post('/transfer/prepare', body);
    expect(prepared.status).toBe(path === 'signature' ? 200 : status);
    expect((await client.get(`/transfer?from=${holder.address}`)).body.items).toEqual([]);
    expect(await nonceOf(forwarder, holder.address)).toBe(0);
  });
});

/** A collection that trusts a forwarder without cancellation, which is in the account's records. */
async function plainCollection(): Promise<{ contractAddress: Address; trusted: Address }> {
  const trusted = await deployPlainForwarder(chainId);
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  await database.query(
    `insert into contracts (id, corporate_account_id, chain_id, erc_standard, status, contract_address)
     values ($1, $2, '43114', 'Forwarder', 'ACTIVE', $3)`,
    [newId(), client.account._id, trusted.toLowerCase()],
  );
  await database.end();
  const { contractAddress } = await deployContract(client, { trustedForwarder: trusted });
  return { contractAddress, trusted };
}

/** The same transfer, signed with another nonce. */
function resigned(holder: Signer, { contractAddress, to, tokenId }: Gift, nonce: number): { signature: Hex } {
  return signedTransfer(holder, forwarder, { contractAddress, to, tokenId }, { nonce });
}

/** How many attempts are stored for an order. */
async function attemptsOf(orderId: string): Promise<number> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query(
    'select count(*)::int as n from attempts a join orders t on t.id = a.transaction_id where t.order_id = $1',
    [orderId],
  );
  await database.end();
  return rows[0].n;
}
