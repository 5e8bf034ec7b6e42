import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
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
import {
  burnData,
  deployForwarder,
  newSigner,
  nonceOf,
  sendAs,
  signedBurn,
  submitMessage,
  type Signer,
} from '../fixtures/gasless.ts';
import { setFaults } from '../fixtures/fault-proxy.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { signMessage } from '../fixtures/sign-message.ts';

const chainId = '43114';
const ENDED = ['CONFIRMED', 'CANCELLED', 'FAILED'];
const TOKEN_URI = 'https://example.com/certificate';

const KINDS = ['standard721', 'standard1155', 'certificate721', 'certificate1155'] as const;
type Kind = (typeof KINDS)[number];

let receiver: WebhookReceiver;
let client: Client;
let forwarder: Address;
let contracts: Readonly<Record<Kind, Address>>;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
  forwarder = await deployForwarder(client);
  const deployed = await Promise.all(
    KINDS.map(async (kind) => {
      const [, contractType, ercStandard] = /^([a-z]+)(\d+)$/.exec(kind) ?? [];
      const { contractAddress } = await deployContract(client, {
        contractType,
        ercStandard,
        trustedForwarder: forwarder,
      });
      return [kind, contractAddress] as const;
    }),
  );
  contracts = Object.fromEntries(deployed) as Record<Kind, Address>;
});
afterEach(() => pause('resume'));

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, {
    method: 'POST',
    headers: { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' },
  });

let lastToken = 0;

/** A token, and whoever holds it. */
interface Held {
  readonly holder: Signer;
  readonly contractAddress: Address;
  readonly tokenId: string;
  /** ERC-1155 only. */
  readonly amount?: number;
}

interface Minted extends Held {
  readonly metadataId: string;
}

/** Mints a token to a new holder, or more of a given one. */
async function held(kind: Kind, units = 5, more?: Minted): Promise<Minted> {
  const holder = newSigner();
  const isCertificate = kind.startsWith('certificate');
  const tokenId = more?.tokenId ?? String((lastToken += 1));
  const { body: document } =
    more === undefined
      ? await client.post('/metadata', isCertificate ? certificateInput : flexible)
      : await client.get(`/metadata/${more.metadataId}`);
  const amount = kind.endsWith('1155') ? { amount: units } : {};
  const { status, body } = await client.post('/minting/order', {
    chainId,
    contractAddress: contracts[kind],
    receiverAddress: holder.address,
    tokenId,
    metadataId: document._id,
    ...amount,
    ...(isCertificate ? { tokenUri: TOKEN_URI, metadataHash: document.metadataHash } : {}),
  });
  expect([status, body.errors]).toEqual([201, undefined]);
  expect(await client.until(`/minting/${body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
  return { holder, contractAddress: contracts[kind], tokenId, metadataId: document._id, ...amount };
}

/**
 * Waits until a minted token is served from the cache, which is filled once the wallet is idle: without lookups,
 * nothing else can serve it.
 */
async function untilCached({ contractAddress, tokenId }: Pick<Held, 'contractAddress' | 'tokenId'>): Promise<void> {
  const match = JSON.stringify(JSON.stringify({ contractAddress, tokenId })).slice(1, -1);
  await setFaults(stack.proxies.database, [{ match, effect: 'refuse', times: 1_000, isGuard: true }], 'burns');
  const path = `/metadata/${contractAddress}/${tokenId}`;
  await expect.poll(async () => (await call(path)).status).toBe(200);
  await setFaults(stack.proxies.database, [], 'burns');
}

const flexible = {
  chainId,
  name: 'A token',
  imageUrl: 'https://example.com/a.png',
  utility: { type: 'Flexible', data: { status: 'Unused' } },
};

const execute = (body: object) => client.post('/burn/execute', body);
const ended = ({ body }: Reply) => client.until(`/burn/${body.id}`, ENDED);
const signed = ({ holder, ...token }: Held, nonce = 0) => signedBurn(holder, forwarder, token, { nonce });
const publicMetadata = ({ contractAddress, tokenId }: Held) => call(`/metadata/${contractAddress}/${tokenId}`);
const read = async (method: string, { contractAddress }: Held, args: readonly string[]) =>
  (await client.post('/contracts/read', { chainId, contractAddress, method, args })).body;
const issuesOf = ({ status, body }: Reply): Record<string, string> => {
  expect(status).toBe(400);
  return Object.fromEntries(body.errors.map(({ path, message }: Record<string, string>) => [path, message]));
};

async function expectEvent(type: string, data: Record<string, unknown>) {
  const find = () => receiver.deliveries.filter(({ event }) => event.type === type).map(({ event }) => event.data);
  await expect.poll(find).toContainEqual(data);
}

const GONE = { status: 404, body: { message: 'The token was burned: nothing of it is left' } };

describe('a burn that its holder has signed', () => {
  it('destroys an ERC-721 token: its event, its order and its public metadata say so, and its wallet no longer lists it', async () => {
    const token = await held('standard721');
    const { holder, contractAddress, tokenId } = token;
    expect(await publicMetadata(token)).toMatchObject({ status: 200 });
    const fields = { chainId, contractAddress, tokenId, from: holder.address };
    const prepared = await client.post('/burn/prepare', fields);
    expect(prepared).toMatchObject({
      status: 200,
      body: { primaryType: 'ForwardRequest', request: { data: burnData(holder.address, { tokenId }), nonce: '0' } },
    });
    const { domain, request } = prepared.body;
    const reply = await execute({
      ...fields,
      gasLimit: request.gas,
      forwarderNonce: request.nonce,
      forwarderAddress: domain.verifyingContract,
      signature: signMessage(holder, forwarder, request),
    });
    expect(reply).toMatchObject({ status: 201, body: { ...fields, status: 'PENDING', amount: 1, ercStandard: '721' } });
    const order = await ended(reply);
    expect(order).toMatchObject({ status: 'CONFIRMED', burnGasUsed: expect.any(String), errorMessage: null });
    await expectEvent('burn.confirmed', order);
    expect((await client.get(`/burn/by-tx/${String(order['txHash'])}`)).body).toEqual(order);
    const list = await client.get(`/burn?status=CONFIRMED&contractAddress=${contractAddress}&from=${holder.address}`);
    expect(list.body.items).toEqual([order]);
    expect(await read('ownerOf', token, [tokenId])).toMatchObject({ message: expect.stringContaining('Nonexistent') });
    await expect.poll(() => publicMetadata(token)).toMatchObject(GONE);
    const { body: wallet } = await client.get(`/api/wallet/nfts?wallet=${holder.address}`);
    expect(wallet.items).toEqual([]);
  });

  it('destroys as many ERC-1155 units as it says; the metadata is served until nothing is left', async () => {
    const token = await held('standard1155', 5);
    const { holder, tokenId } = token;
    expect(await ended(await execute(signed({ ...token, amount: 2 }).body))).toMatchObject({
      status: 'CONFIRMED',
      amount: 2,
      ercStandard: '1155',
    });
    expect(await read('balanceOf', token, [holder.address, tokenId])).toBe('3');
    expect(await publicMetadata(token)).toMatchObject({ status: 200 });
    expect(issuesOf(await execute(signed({ ...token, amount: 4 }, 1).body))).toEqual({
      amount: `is more than the balance: from holds 3 of token ${tokenId}`,
    });
    expect(await ended(await execute(signed({ ...token, amount: 3 }, 1).body))).toMatchObject({ status: 'CONFIRMED' });
    await expect.poll(() => publicMetadata(token)).toMatchObject(GONE);
    // More units of the same id are the same token again.
    await held('standard1155', 1, token);
    await expect.poll(() => publicMetadata(token)).toMatchObject({ status: 200 });
  });

  it.each(['certificate721', 'certificate1155'] as const)(
    'ends a %s, whose document stays public for those who check it, and which is issued again with no other document',
    async (kind) => {
      const token = await held(kind, 5);
      const { contractAddress, tokenId } = token;
      const before = await publicMetadata(token);
      expect(before).toMatchObject({ status: 200 });
      expect(await ended(await execute(signed(token).body))).toMatchObject({ status: 'CONFIRMED' });
      expect(await read('getMetadataHash', token, [tokenId])).toMatchObject({ statusCode: 400 });
      expect(await publicMetadata(token)).toMatchObject({ status: 200, body: before.body });
      const { body: document } =
        kind === 'certificate1155'
          ? await client.get(`/metadata/${token.metadataId}`)
          : await client.post('/metadata', certificateInput);
      const order = {
        chainId,
        contractAddress,
        tokenId,
        receiverAddress,
        metadataId: document._id,
        tokenUri: TOKEN_URI,
        ...(kind === 'certificate1155' ? { amount: 1 } : {}),
      };
      const other = await client.post('/minting/order', { ...order, metadataHash: `0x${'5e'.repeat(32)}` });
      expect(other.status).toBe(409);
      const again = await client.post('/minting/order', { ...order, metadataHash: document.metadataHash });
      expect(await client.until(`/minting/${again.body.id}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
    },
  );

  it('frees an ERC-721 id, which is minted again with other metadata', async () => {
    const token = await held('standard721');
    const { contractAddress, tokenId } = token;
    const occupancy = async () =>
      (await client.post('/minting/occupancy/check', { chainId, contractAddress, tokenId })).body.available;
    expect(await occupancy()).toBe(false);
    expect(await ended(await execute(signed(token).body))).toMatchObject({ status: 'CONFIRMED' });
    expect(await occupancy()).toBe(true);
    const metadataId = await createMetadata(client, { name: 'The next one' });
    const order = { chainId, contractAddress, tokenId, receiverAddress, metadataId };
    const { body } = await client.post('/minting/order', order);
    await client.until(`/minting/${body.id}`, ['CONFIRMED']);
    await expect.poll(() => publicMetadata(token)).toMatchObject({ status: 200, body: { name: 'The next one' } });
  });

  it('is one order, however often and however many at once it is posted', async () => {
    const token = await held('standard1155', 5);
    const { body } = signed({ ...token, amount: 2 });
    const replies = await Promise.all(Array.from({ length: 10 }, () => execute(body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(replies.map(({ body: order }) => order.id)).size).toBe(1);
    const [first] = replies;
    if (first === undefined) throw new Error('There are ten replies');
    expect(await ended(first)).toMatchObject({ status: 'CONFIRMED' });
    expect(await execute(body)).toMatchObject({ status: 200, body: { id: first.body.id, status: 'CONFIRMED' } });
    expect(await read('balanceOf', token, [token.holder.address, token.tokenId])).toBe('3');
  });

  it('is refused of a token that the signer does not hold, with a forged signature, and of an amount that the standard lacks', async () => {
    const token = await held('standard721');
    const thief = { ...token, holder: newSigner() };
    expect(issuesOf(await execute(signed(thief).body))).toEqual({
      from: `is not the holder of token ${token.tokenId}: ${token.holder.address} is`,
    });
    const forged = { ...signed(thief).body, from: token.holder.address };
    expect(issuesOf(await execute(forged))).toMatchObject({
      signature: expect.stringContaining(`burn(${token.tokenId})`),
    });
    expect(issuesOf(await execute({ ...signed(token).body, amount: 2 }))).toMatchObject({
      amount: 'must be absent or 1 for an ERC-721 contract',
    });
    expect(await read('ownerOf', token, [token.tokenId])).toBe(token.holder.address);
  });

  it('cannot be read, prepared or ordered by another account, as the API document says', async () => {
    const token = await held('standard721');
    const stranger = await newClient();
    const { body } = signed(token);
    const { paths } = (await call('/openapi.json')).body;
    const { gasLimit: _, signature: __, ...unsigned } = body;
    for (const [path, request] of Object.entries({ '/burn/prepare': unsigned, '/burn/execute': body })) {
      expect((await stranger.post(path, request)).status).toBe(404);
      expect(paths[path].post.responses).toHaveProperty('404');
    }
    const order = await ended(await execute(body));
    expect((await stranger.get(`/burn/${String(order['id'])}`)).status).toBe(404);
    expect((await stranger.get(`/burn/by-tx/${String(order['txHash'])}`)).status).toBe(404);
    expect((await stranger.get('/burn')).body.items).toEqual([]);
  });

  it('is CONFIRMED by the transaction of a third party that submitted it first', async () => {
    const token = await held('standard721');
    const { message, body } = signed(token);
    await pause('pause');
    const reply = await execute(body);
    const txHash = await submitMessage(forwarder, message, body.signature);
    await pause('resume');
    expect(await ended(reply)).toMatchObject({ status: 'CONFIRMED', txHash });
  });

  it('has no effect once it is cancelled', async () => {
    const token = await held('standard721');
    await pause('pause');
    const { body } = await execute(signed(token).body);
    expect(await client.post('/burn/cancel', { id: body.id })).toMatchObject({ body: { status: 'CANCELLED' } });
    await pause('resume');
    await expectEvent('burn.cancelled', (await client.get(`/burn/${body.id}`)).body);
    expect(await read('ownerOf', token, [token.tokenId])).toBe(token.holder.address);
    expect(await nonceOf(forwarder, token.holder.address)).toBe(0);
  });

  it('is FAILED with the reason of the contract if the token is gone by then, and its nonce is not used', async () => {
    const token = await held('standard721');
    await pause('pause');
    const reply = await execute(signed(token).body);
    await sendAs(token.holder, burnData(token.holder.address, token), token.contractAddress);
    // A lane may use a head again for half a second: then the order would be signed, and reverted. A busy machine takes
    // seconds to read it.
    await setTimeout(5_000);
    await pause('resume');
    const order = await ended(reply);
    expect(order).toMatchObject({
      status: 'FAILED',
      txHash: null,
      errorMessage: expect.stringContaining('ERC721NonexistentToken'),
    });
    await expectEvent('burn.failed', order);
    expect(await nonceOf(forwarder, token.holder.address)).toBe(0);
  });
});

it("a holder's own burn shows in the public metadata as soon as the cached copy is replaced", async () => {
  const token = await held('standard721');
  const { body: order } = await client.get(`/minting?contractAddress=${token.contractAddress}&limit=1`);
  // The wallet, once it is idle, would write a copy of its own.
  await untilCached(token);
  await sendAs(token.holder, burnData(token.holder.address, token), token.contractAddress);
  const { status } = await client.post(`/metadata/${order.items[0].metadataId}/status`, { status: 'Void' });
  expect(status).toBe(200);
  await expect.poll(() => publicMetadata(token)).toMatchObject(GONE);
});
