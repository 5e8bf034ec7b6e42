import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { formatEther, getAddress, type Hex } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  type Client,
} from '../fixtures/client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

let receiver: WebhookReceiver;
let client: Client;

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  client = await newClient({ webhookUrl: receiver.url });
});

async function eventOf(type: string, id: string) {
  return await expect
    .poll(() =>
      receiver.deliveries.find(({ event }) => event.type === type && (event.data['id'] ?? event.data['_id']) === id),
    )
    .toBeDefined()
    .then(() => receiver.deliveries.find(({ event }) => event.data['id'] === id || event.data['_id'] === id));
}

describe('a mint, end to end', () => {
  it('deploys, stores metadata, mints, sends the webhook and serves the metadata', async () => {
    const chain = chainClient();
    const contract = await deployContract(client);
    expect(contract).toMatchObject({ status: 'ACTIVE', chainId: '43114', errorMessage: null });

    const metadataId = await createMetadata(client, { attributes: [{ traitType: 'Colour', value: 'red' }] });
    const accepted = await client.post('/minting/order', {
      chainId: '43114',
      contractAddress: getAddress(contract.contractAddress),
      receiverAddress,
      tokenId: '7',
      metadataId,
    });
    expect(accepted.status).toBe(201);
    expect(accepted.body).toMatchObject({ status: 'PENDING', mode: 'direct', amount: 1, txHash: null });

    const order = await client.until(`/minting/${accepted.body.id}`, ['CONFIRMED', 'FAILED']);
    expect(order).toMatchObject({ status: 'CONFIRMED', tokenId: '7', errorMessage: null });

    const owner = await chain.readContract({
      ...standard721,
      address: contract.contractAddress,
      functionName: 'ownerOf',
      args: [7n],
    });
    expect(owner).toBe(receiverAddress);
    const receipt = await chain.getTransactionReceipt({ hash: order['txHash'] as Hex });
    expect(order['mintingGasUsed']).toBe(receipt.gasUsed.toString());
    expect(order['totalFeeNative']).toBe(formatEther(receipt.gasUsed * receipt.effectiveGasPrice));
    expect(order['totalFeeUsd']).toBeCloseTo(Number(order['totalFeeNative']) * Number(order['nativePriceUsd']), 12);
    expect(order['totalFeeKrw']).toBeCloseTo(Number(order['totalFeeNative']) * Number(order['nativePriceKrw']), 12);

    const tokenUri = await chain.readContract({
      ...standard721,
      address: contract.contractAddress,
      functionName: 'tokenURI',
      args: [7n],
    });
    const served = await call(new URL(tokenUri).pathname);
    expect(served.status).toBe(200);
    expect(served.body).toEqual({
      name: 'A token',
      image: 'https://example.com/a.png',
      attributes: [
        { trait_type: 'Colour', value: 'red' },
        { trait_type: 'Status', value: 'Unused' },
      ],
      utility: { type: 'Flexible', data: { status: 'Unused' } },
    });
    expect(served.headers.get('access-control-allow-origin')).toBe('*');
    const again = await call(new URL(tokenUri).pathname, {
      headers: { 'if-none-match': served.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);

    const delivery = await eventOf('mint.confirmed', accepted.body.id);
    expect(delivery?.event.data).toEqual(order);
    expect(delivery?.event.timestamp).toBe(order['completedAt']);
    const headers = {
      'webhook-id': String(delivery?.headers['webhook-id']),
      'webhook-timestamp': String(delivery?.headers['webhook-timestamp']),
      'webhook-signature': String(delivery?.headers['webhook-signature']),
    };
    new Webhook(client.account.webhookSecret).verify(delivery?.body ?? '', headers);
    const key = Buffer.from(client.account.webhookSecret.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${delivery?.body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(await eventOf('contract.deployed', contract._id)).toBeDefined();
  });

  it("fails a mint that reverts, reports the contract's error, and frees the metadata", async () => {
    const contract = await deployContract(client);
    const metadataId = await createMetadata(client);
    const orderFor = (receiverOfToken: string) =>
      client.post('/minting/order', {
        chainId: '43114',
        contractAddress: contract.contractAddress,
        receiverAddress: receiverOfToken,
        tokenId: '1',
        metadataId,
      });
    const nonceBefore = await chainClient().getTransactionCount({ address: client.account.walletAddress });
    // A contract that accepts no tokens.
    const refused = await orderFor(contract.contractAddress);
    const failed = await client.until(`/minting/${refused.body.id}`, ['CONFIRMED', 'FAILED']);
    expect(failed).toMatchObject({ status: 'FAILED', txHash: null, completedAt: expect.any(String) });
    expect(failed['errorMessage']).toContain('ERC721InvalidReceiver');
    expect(await chainClient().getTransactionCount({ address: client.account.walletAddress })).toBe(nonceBefore);
    expect((await eventOf('mint.failed', refused.body.id))?.event.data).toEqual(failed);
    const again = await orderFor(receiverAddress);
    expect(again.status).toBe(201);
    await client.until(`/minting/${again.body.id}`, ['CONFIRMED']);
  });
});
