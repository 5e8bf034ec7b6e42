import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { getAddress, type Address, type Hex } from 'viem';
import { certificate721 } from '../../contracts/artifacts/Certificate721.ts';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  issuesOf,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner, nonceOf } from '../fixtures/gasless.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import {
  mintToSign,
  signMint,
  storeRelayedMint,
  type RelayedMint,
  type SignedMint,
} from '../fixtures/relayed-mints.ts';
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

const mintOf = (contractAddress: Address, fields?: Record<string, unknown>) =>
  mintToSign(client, owner.address, contractAddress, fields);
const signedByServer = (mint: RelayedMint, privateKey: Hex = owner.privateKey) => signMint(client, mint, privateKey);
const storeUnsent = (body: SignedMint) => storeRelayedMint(client, forwarder, body);

const relay = (body: unknown) => client.post('/minting/relay', body);
const ended = (reply: Reply) => client.until(`/minting/${reply.body.id}`, ENDED);

async function eventOf(type: string, id: unknown) {
  const find = () => receiver.deliveries.find(({ event }) => event.type === type && event.data['id'] === id);
  await expect.poll(find).toBeDefined();
  return find()?.event.data;
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
    expect(await ended(await relay(other))).toMatchObject({ status: 'CONFIRMED' });
    const { body: document } = await client.get(`/metadata/${other.metadataId}`);
    expect(document).toMatchObject({ contractAddress: '', tokenId: '' });
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
    await cleanUpAfter(6);
    expect(await client.until(`/minting/${orderId}`, ENDED)).toMatchObject({ status: 'CONFIRMED' });
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
    const stale = await signedByServer({
      ...(await mintOf(collection)),
      forwarderNonce: body.forwarderNonce,
    } as RelayedMint);
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
