import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { cleanUpAfter, deployContract, newClient, type Client, type Reply } from '../fixtures/client.ts';
import { deployForwarder, newSigner, nonceOf, postLate, sendAs } from '../fixtures/gasless.ts';
import {
  mintToSign,
  signMint,
  storeRelayedMint,
  type RelayedMint,
  type SignedMint,
} from '../fixtures/relayed-mints.ts';

const ENDED = ['CONFIRMED', 'FAILED'];
/** The owner of the contracts, without coins and without an account. */
const owner = newSigner();

let client: Client;
let forwarder: Address;
let collection: Address;

beforeAll(async () => {
  client = await newClient();
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

describe("a mint signed by the contract's owner", () => {
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
    // On a busy machine it can be answered before the other is CONFIRMED.
    expect([status, second.id]).toEqual([200, order['id']]);
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
